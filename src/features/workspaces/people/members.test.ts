import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../../../../tests/support/app.js';
import {
  refused,
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../../tests/support/settings-world.js';
import { silentLog } from '../../../kernel/log.js';
import { createMemberPasswordService } from './member-passwords.service.js';

let world: SettingsWorld;
let acme: Workspace;
let other: Workspace;

beforeAll(async () => {
  world = await startSettingsWorld();
  [acme, other] = [await world.workspace(), await world.workspace()];
});
afterAll(() => world.stop());

const patch = (workspace: Workspace, userId: number | string, body: object, headers?: object) =>
  world.ask(workspace, 'PATCH', `/members/${userId}`, body, headers);
const NOT_FOUND = refused(404, 'Member not found');

describe('GET /brands/{brand_id}/members', () => {
  it('lists the active members to any member', async () => {
    const workspace = await world.workspace();
    const member = await world.member(workspace.brand, { position: 'Engineer' });
    const gone = await world.member(workspace.brand);
    await world.operator('DELETE', `/brands/${workspace.brand.brand_id}/members/${gone.user_id}`);
    const bearer = { authorization: `Bearer ${await world.token(workspace.brand, member, ['brand:read'])}` };
    const [status, body] = await world.ask(workspace, 'GET', '/members', undefined, bearer);
    const common = { photo: null, joined_at: expect.stringMatching(/Z$/) };
    const { user_id, email, full_name } = member;
    const admin = {
      user_id: workspace.admin.user_id,
      email: workspace.admin.email,
      full_name: workspace.admin.full_name,
    };
    expect(status).toBe(200);
    expect(body).toEqual({
      members: [
        { ...common, ...admin, role: 'admin', position: null },
        { ...common, user_id, email, full_name, role: 'member', position: 'Engineer' },
      ],
      total: 2,
    });
  });
});

describe('GET /brands/{brand_id}/members/{user_id}', () => {
  it('returns the member', async () => {
    const [status, member] = await world.ask(acme, 'GET', `/members/${acme.admin.user_id}`);
    expect([status, member]).toMatchObject([
      200,
      { user_id: acme.admin.user_id, role: 'admin', photo: null },
    ]);
  });

  it.each(['999999', 'abc', '1.5', '99999999999'])('returns 404 Member not found for %s', async (id) => {
    expect(await world.ask(acme, 'GET', `/members/${id}`)).toEqual(NOT_FOUND);
  });
});

describe('PATCH /brands/{brand_id}/members/{user_id}', () => {
  it('changes only the given fields, and null clears the position', async () => {
    const { user_id } = await world.member(acme.brand, { position: 'Engineer' });
    const member = async () => (await world.ask(acme, 'GET', `/members/${user_id}`))[1];
    expect(await patch(acme, user_id, { role: 'admin' })).toEqual([200, { success: true }]);
    expect(await member()).toMatchObject({ role: 'admin', position: 'Engineer' });
    await patch(acme, user_id, { position: 'Lead' });
    expect(await member()).toMatchObject({ role: 'admin', position: 'Lead' });
    await patch(acme, user_id, { position: null, role: 'member' });
    expect(await member()).toMatchObject({ role: 'member', position: null });
  });

  it.each(['owner', 'Admin', '', null, 5, ['admin']])('rejects the role %j', async (role) => {
    const detail = "Role must be 'admin' or 'member'";
    expect(await patch(acme, 'nobody', { role })).toEqual(refused(400, detail));
    expect(await patch(acme, acme.admin.user_id, { role, position: 'x' })).toEqual(refused(400, detail));
  });

  it('rejects demoting the last admin and then changes no other field', async () => {
    const workspace = await world.workspace();
    const { user_id } = workspace.admin;
    const detail = 'The last workspace admin cannot be changed to a member';
    expect(await patch(workspace, user_id, { role: 'member', position: 'x' })).toEqual(refused(409, detail));
    expect((await world.ask(workspace, 'GET', `/members/${user_id}`))[1]).toMatchObject({
      role: 'admin',
      position: null,
    });
    expect((await patch(workspace, user_id, { role: 'admin' }))[0]).toBe(200);
  });

  it('keeps one admin when two demote each other at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const workspace = await world.workspace();
      const second = await world.member(workspace.brand, { role: 'admin' });
      const bearer = { authorization: `Bearer ${await world.token(workspace.brand, second)}` };
      const answers = await Promise.all([
        patch(workspace, second.user_id, { role: 'member' }),
        patch(workspace, workspace.admin.user_id, { role: 'member' }, bearer),
      ]);
      const [, list] = await world.ask(workspace, 'GET', '/members');
      expect(
        (list as { members: { role: string }[] }).members.filter(({ role }) => role === 'admin'),
      ).toHaveLength(1);
      expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    }
  });
});

describe('POST /brands/{brand_id}/members/{user_id}/reset-password', () => {
  it('mails a link that works once', async () => {
    const member = await world.member(acme.brand);
    const [status, body] = await world.ask(acme, 'POST', `/members/${member.user_id}/reset-password`);
    expect([status, body]).toEqual([200, { success: true, message: expect.any(String) }]);
    const letter = (await world.outbox()).at(-1)!;
    expect(letter).toContain(`To: ${member.email}`);
    expect(letter).toContain(acme.brand.name);
    const token = /reset-password\?token=([\w-]+)/.exec(letter)![1];
    expect(JSON.stringify(body)).not.toContain(token);
    const use = () =>
      world.inject({
        method: 'POST',
        url: '/api/v1/auth/reset-password',
        payload: { token, password: 'a new password' },
      });
    expect((await use()).statusCode).toBe(200);
    expect((await use()).json()).toEqual({ detail: 'This link is no longer valid' });
    expect(await world.signIn(member, acme.brand, 'a new password')).toContain('guildhall_session');
  });
});

describe('POST /brands/{brand_id}/members/{user_id}/set-password', () => {
  const set = (workspace: Workspace, userId: number | string, body: object) =>
    world.ask(workspace, 'POST', `/members/${userId}/set-password`, body);
  const chosen = { password: 'chosen for you' };

  it('sets the password, ends the sessions and keeps the tokens', async () => {
    const member = await world.member(acme.brand);
    const cookie = await world.signIn(member, acme.brand);
    const bearer = { authorization: `Bearer ${await world.token(acme.brand, member)}` };
    const mailed = (await world.outbox()).length;
    expect(await set(acme, member.user_id, chosen)).toEqual([
      200,
      { success: true, message: expect.any(String) },
    ]);
    expect((await world.ask(acme, 'GET', '/members', undefined, { cookie }))[0]).toBe(401);
    expect((await world.ask(acme, 'GET', '/members', undefined, bearer))[0]).toBe(200);
    await expect(world.signIn(member, acme.brand, PASSWORD)).rejects.toThrow('401');
    expect(await world.signIn(member, acme.brand, chosen.password)).toContain('guildhall_session');
    expect(await world.outbox()).toHaveLength(mailed);
  });

  it('notifies the person on send_email, without the password', async () => {
    const member = await world.member(acme.brand);
    await set(acme, member.user_id, { ...chosen, send_email: true });
    const letter = (await world.outbox()).at(-1)!;
    expect(letter).toContain(`To: ${member.email}`);
    expect(letter).not.toContain(chosen.password);
    expect(world.logLines.join()).not.toContain(chosen.password);
  });

  const SEND_LINK = refused(409, "Send a reset link instead of setting this person's password.");

  it.each(['staff', 'service'])('rejects a %s account', async (kind) => {
    const person = await world.member(acme.brand, { person: await world.person({ kind }) });
    expect(await set(acme, person.user_id, chosen)).toEqual(SEND_LINK);
  });

  it('rejects a person of two workspaces until they have left the other', async () => {
    const person = await world.member(acme.brand);
    await world.member(other.brand, { person });
    expect(await set(acme, person.user_id, chosen)).toEqual(SEND_LINK);
    await world.operator('DELETE', `/brands/${other.brand.brand_id}/members/${person.user_id}`);
    expect((await set(acme, person.user_id, chosen))[0]).toBe(200);
  });

  it('rejects a person who is a guest elsewhere, since the password would open that workspace too', async () => {
    const person = await world.person();
    const space = await world.inject({
      method: 'POST',
      url: '/api/v1/docs/spaces',
      headers: other.bearer,
      payload: { name: 'Handbook' },
    });
    const url = `/api/v1/docs/spaces/${space.json().space_id}/guests/${person.user_id}`;
    await world.inject({ method: 'PUT', url, headers: other.bearer, payload: { role: 'viewer' } });
    await world.member(acme.brand, { person });
    expect(await set(acme, person.user_id, chosen)).toEqual(SEND_LINK);
  });
});

describe('Failure to store a password', () => {
  it('set-password returns 502 without the reason', async () => {
    const { db, clock, app, config } = world;
    const member = await world.member(acme.brand);
    const passwords = createMemberPasswordService({
      db,
      clock,
      log: silentLog,
      mailer: app.mailer,
      baseUrl: config.baseUrl,
      identity: { ...app.identity, hashNewPassword: () => Promise.reject(new Error('no memory left')) },
    });
    const caller = (await app.identity.authenticators.pat(acme.token))!;
    const attempt = passwords.setPassword(caller, member.user_id, 'chosen for you', false);
    await expect(attempt).rejects.toMatchObject({ status: 502, detail: 'Failed to set password' });
  });
});

const recordedActions = async ({ db }: SettingsWorld, { brand }: Workspace) => {
  const entries = await db
    .selectFrom('audit_log')
    .select('action')
    .where('brand_id', '=', brand.brand_id)
    .where('action', 'like', 'password.%')
    .orderBy('audit_id')
    .execute();
  return entries.map(({ action }) => action);
};

describe('Audit of password mails', () => {
  it('records that a mail was sent', async () => {
    const workspace = await world.workspace();
    const { user_id } = await world.member(workspace.brand);
    await world.ask(workspace, 'POST', `/members/${user_id}/reset-password`);
    const body = { password: 'chosen for you', send_email: true };
    await world.ask(workspace, 'POST', `/members/${user_id}/set-password`, body);
    expect(await recordedActions(world, workspace)).toEqual([
      'password.reset-requested',
      'password.reset-link-sent',
      'password.set',
      'password.change-letter-sent',
    ]);
  });
});

describe('Failure to send mail', () => {
  it('reset-password returns 502; set-password sets the password and reports the failed mail', async () => {
    const mute = await startSettingsWorld({ SMTP_URL: 'smtp://127.0.0.1:1' });
    const workspace = await mute.workspace();
    const member = await mute.member(workspace.brand);
    const path = `/members/${member.user_id}`;
    const answer = await mute.ask(workspace, 'POST', `${path}/reset-password`);
    expect(answer).toEqual(refused(502, 'Failed to send password reset email'));
    const body = { password: 'chosen for you', send_email: true };
    const [status, done] = await mute.ask(workspace, 'POST', `${path}/set-password`, body);
    expect([status, done]).toMatchObject([200, { message: expect.stringContaining('could not be sent') }]);
    expect(await recordedActions(mute, workspace)).toEqual([
      'password.reset-requested',
      'password.reset-link-not-sent',
      'password.set',
      'password.change-letter-not-sent',
    ]);
    await mute.stop();
  });
});

describe('DELETE /brands/{brand_id}/members/{user_id}', () => {
  const remove = (workspace: Workspace, userId: number | string) =>
    world.ask(workspace, 'DELETE', `/members/${userId}`);

  it('returns 204 and removes the person', async () => {
    const member = await world.member(acme.brand);
    expect(await remove(acme, member.user_id)).toEqual([204, undefined]);
    expect(await world.ask(acme, 'GET', `/members/${member.user_id}`)).toEqual(NOT_FOUND);
    expect(await remove(acme, member.user_id)).toEqual(NOT_FOUND);
    const [entry] = (
      await world.operator<{ items: object[] }>('GET', `/audit?brand_id=${acme.brand.brand_id}&limit=1`)
    ).items;
    expect(entry).toMatchObject({
      action: 'member.removed',
      subject: `user:${member.user_id}`,
      actor: { kind: 'pat', user_id: acme.admin.user_id },
    });
  });

  it('returns 404 for an unknown person and a member of another workspace', async () => {
    for (const id of ['abc', 999_999, other.admin.user_id]) expect(await remove(acme, id)).toEqual(NOT_FOUND);
    expect((await world.ask(other, 'GET', `/members/${other.admin.user_id}`))[0]).toBe(200);
  });

  it('keeps the last admin, also when two remove each other at the same moment', async () => {
    const workspace = await world.workspace();
    const last = refused(409, 'The last workspace admin cannot be removed');
    expect(await remove(workspace, workspace.admin.user_id)).toEqual(last);
    const second = await world.member(workspace.brand, { role: 'admin' });
    const bearer = { authorization: `Bearer ${await world.token(workspace.brand, second)}` };
    const answers = await Promise.all([
      remove(workspace, second.user_id),
      world.ask(workspace, 'DELETE', `/members/${workspace.admin.user_id}`, undefined, bearer),
    ]);
    const admins = await world.db
      .selectFrom('memberships')
      .select('user_id')
      .where('brand_id', '=', workspace.brand.brand_id)
      .where('role', '=', 'admin')
      .where('active', '=', true)
      .execute();
    expect(admins).toHaveLength(1);
    expect(answers.filter(([status]) => status === 204)).toHaveLength(1);
  });
});

describe('Staff person with the role member', () => {
  it('has only the rights of their membership, by session and by token', async () => {
    const staff = await world.member(acme.brand, { person: await world.person({ kind: 'staff' }) });
    const cookie = { cookie: await world.signIn(staff, acme.brand) };
    const bearer = { authorization: `Bearer ${await world.token(acme.brand, staff)}` };
    const denied = refused(403, 'Brand admin access required');
    for (const headers of [cookie, bearer]) {
      expect(await patch(acme, staff.user_id, { role: 'admin' }, headers)).toEqual(denied);
      expect(await world.ask(acme, 'PUT', '/features/feed', { on: false }, headers)).toEqual(denied);
      expect(await world.ask(acme, 'GET', '/guests', undefined, headers)).toEqual(denied);
      expect((await world.ask(acme, 'GET', '/members', undefined, headers))[0]).toBe(200);
    }
    await patch(acme, staff.user_id, { role: 'admin' });
    expect((await patch(acme, staff.user_id, { position: 'Visitor' }, cookie))[0]).toBe(200);
  });
});
