import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, PASSWORD, type TestPerson } from '../../../tests/support/app.js';
import {
  refused,
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../tests/support/settings-world.js';
import { DAY } from '../../kernel/clock.js';

let world: SettingsWorld;
let acme: Workspace;
let board: string;
let names = 0;

beforeAll(async () => {
  world = await startSettingsWorld();
  acme = await world.workspace();
  const hook = { url: 'https://hooks.example.com/all', events: ['*'] };
  expect((await call('POST', `/brands/${acme.brand.brand_id}/webhooks`, hook)).statusCode).toBe(201);
  board = (await call('POST', '/board/boards', { name: 'Roadmap' })).json().board_id;
});
afterAll(() => world.stop());

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const call = (method: Method, path: string, payload?: object, headers: object = acme.bearer) =>
  world.inject({ method, url: `/api/v1${path}`, headers: { ...headers }, payload });

/** A member with data in every feature. */
async function busyPerson() {
  const mailName = `busy-${++names}`;
  const person = await world.person({ mail_name: mailName, full_name: `Busy Bee ${names}` });
  await world.member(acme.brand, { person, position: 'Gardener' });
  const token = await world.token(acme.brand, person);
  const bearer = { authorization: `Bearer ${token}` };
  const session = { cookie: await world.signIn(person, acme.brand) };
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  await world.upload(acme, person.user_id, picture);
  await call('PUT', '/me/mail/address', { name: `${mailName}-new` }, bearer);
  const card = (
    await call('POST', `/board/boards/${board}/tasks`, { title: 'Water the plants' }, bearer)
  ).json();
  await call('POST', `/board/tasks/${card.id}/comments`, { body: 'They look thirsty' }, bearer);
  await call('PATCH', `/board/tasks/${card.id}`, { assignee: person.user_id });
  return { person, mailName, token, bearer, session, card };
}

const exportOf = async (headers: object) => call('GET', '/me/export', undefined, headers);
const erase = (headers: object, password: unknown = PASSWORD) => call('DELETE', '/me', { password }, headers);

describe('GET /me/export', () => {
  it('returns all data about the caller', async () => {
    const { person, mailName, session, card } = await busyPerson();
    await world.workspace();
    const response = await exportOf(session);
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const data = response.json();
    expect(data.profile).toMatchObject({
      user_id: person.user_id,
      email: person.email,
      full_name: person.full_name,
    });
    expect(data.workspaces).toEqual([
      expect.objectContaining({
        workspace: acme.brand.name,
        role: 'member',
        position: 'Gardener',
        photo: `/api/v1/brands/${acme.brand.brand_id}/members/${person.user_id}/photo`,
      }),
    ]);
    expect(data.sessions).toHaveLength(1);
    expect(data.tokens).toEqual([expect.objectContaining({ name: 'test' })]);
    expect(data.mail_addresses.map(({ address }: { address: string }) => address.split('@')[0])).toEqual([
      mailName,
      `${mailName}-new`,
    ]);
    expect(data.cards).toEqual([
      expect.objectContaining({ ref: card.ref, title: 'Water the plants', created: true, assigned: true }),
    ]);
    expect(data.comments).toEqual([expect.objectContaining({ ref: card.ref, body: 'They look thirsty' })]);
    expect(data.activity.map(({ action }: { action: string }) => action)).toEqual([
      'task.created',
      'task.commented',
    ]);
    expect(data.audit).toContainEqual(
      expect.objectContaining({ action: 'mail-address.renamed', address: '127.0.0.1' }),
    );
  });

  it("includes attempts on the caller's account and excludes other accounts", async () => {
    const [{ person, session }, other] = [await busyPerson(), await busyPerson()];
    for (const { email } of [person, other.person])
      await expect(world.signIn({ ...person, email }, acme.brand, 'wrong')).rejects.toThrow('401');
    const { audit } = (await exportOf(session)).json();
    const failed = audit.filter(({ action }: { action: string }) => action === 'sign-in.failed');
    expect(failed).toEqual([
      expect.objectContaining({ subject: `user:${person.user_id}`, address: '127.0.0.1' }),
    ]);
  });

  it('contains no secret', async () => {
    const { token, session, person } = await busyPerson();
    const { body } = await exportOf(session);
    const { rows } = await world.database.pool.query(
      `select password_hash as secret from users where user_id = $1
       union all select token_hash from tokens where user_id = $1
       union all select secret_hash from sessions where user_id = $1`,
      [person.user_id],
    );
    expect(rows).toHaveLength(3);
    for (const secret of [token, ...rows.map(({ secret: kept }) => kept)]) expect(body).not.toContain(secret);
  });

  it('reads long lists page by page and returns each entry once', async () => {
    const { person, session, card } = await busyPerson();
    await world.database.pool.query(
      `insert into card_comments (comment_id, card_id, author_user_id, body, created_at)
       select gen_random_uuid(), $1, $2, 'comment ' || n, now() from generate_series(1, 1200) n`,
      [card.id, person.user_id],
    );
    const { comments } = (await exportOf(session)).json();
    expect(new Set(comments.map(({ id }: { id: string }) => id)).size).toBe(1201);
    expect(comments).toHaveLength(1201);
  });

  it('includes cards only where the person can still open them', async () => {
    const { person, session } = await busyPerson();
    const other = await world.workspace();
    await world.member(other.brand, { person });
    await world.ask(acme, 'DELETE', `/members/${person.user_id}`);
    expect((await exportOf(session)).statusCode).toBe(401);
    const data = (await exportOf({ cookie: await world.signIn(person, other.brand) })).json();
    expect(data.cards).toEqual([]);
    expect(data.comments).toHaveLength(1);
  });

  it('accepts only a session, ten times an hour', async () => {
    const { bearer, session } = await busyPerson();
    expect((await exportOf(bearer)).statusCode).toBe(401);
    for (let time = 0; time < 10; time++) expect((await exportOf(session)).statusCode).toBe(200);
    const late = await exportOf(session);
    expect([late.statusCode, late.headers['retry-after']]).toEqual([429, expect.any(String)]);
  });
});

describe('DELETE /me', () => {
  it('answers 202, ends sessions and tokens at once, and erases the person with the job', async () => {
    const { person, mailName, bearer, session, card } = await busyPerson();
    const mailbox = join(world.config.dataDir, 'mail', String(person.user_id), 'new');
    await mkdir(mailbox, { recursive: true });
    await writeFile(join(mailbox, 'letter'), 'Dear Busy');
    const photos = join(
      world.config.dataDir,
      'images',
      'members',
      String(acme.brand.brand_id),
      String(person.user_id),
    );
    expect(await readdir(photos)).toHaveLength(1);
    await world.ask(acme, 'GET', `/members/${person.user_id}`);
    const token = { name: `${person.full_name}'s laptop`, scopes: [] };
    expect((await call('POST', '/me/tokens', token, session)).statusCode).toBe(201);

    const response = await erase(session);
    expect([response.statusCode, response.json()]).toEqual([202, { status: 'accepted' }]);
    expect(response.headers['set-cookie']).toContain('Max-Age=0');
    for (const headers of [bearer, session])
      expect((await call('GET', '/me/token', undefined, headers)).statusCode).toBe(401);
    await expect(world.signIn(person)).rejects.toThrow('401');
    expect(await world.app.workspaces.mailAddresses.findMailbox(`${mailName}-new`)).toBeUndefined();

    expect(await world.runJob('erase')).toMatchObject({ processed: 1, failed: 0 });
    expect(await readdir(photos)).toEqual([]);
    expect(existsSync(mailbox)).toBe(false);
    const shown = (await call('GET', `/board/tasks/${card.id}`)).json();
    expect(shown).toMatchObject({ title: 'Water the plants', reporter: { name: 'Former member' } });
    const { comments } = (await call('GET', `/board/tasks/${card.id}/comments`)).json();
    expect(comments[0]).toMatchObject({ body: 'They look thirsty', author: { name: 'Former member' } });
    await expectNoTrace(person);
  });

  /** Searches every text column for the person's name and addresses. */
  async function expectNoTrace(person: TestPerson) {
    const { rows } = await world.database.pool.query(`
      select c.relname as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`);
    for (const { name } of rows) {
      const found = await world.database.pool.query(
        `select t::text from "${name}" t where t::text like $1 or t::text like $2`,
        [`%${person.full_name}%`, `%${person.email}%`],
      );
      expect(found.rows, name).toEqual([]);
    }
  }

  it('reserves the mail names for 30 days and then deletes them', async () => {
    const { person, mailName, session } = await busyPerson();
    await erase(session);
    await world.runJob('erase');
    const other = await busyPerson();
    const wish = () => call('PUT', '/me/mail/address', { name: `${mailName}-new` }, other.bearer);
    expect((await wish()).statusCode).toBe(409);
    await world.advance(30 * DAY);
    await world.runJob('erase');
    const { rows } = await world.database.pool.query('select from mail_names where user_id = $1', [
      person.user_id,
    ]);
    expect(rows).toEqual([]);
  });

  it('answers 400 for a wrong password and counts it as a failed sign-in', async () => {
    const { person, session } = await busyPerson();
    for (let time = 0; time < 10; time++) {
      const response = await erase(session, 'wrong');
      expect([response.statusCode, response.json()]).toEqual(refused(400, 'The password is wrong'));
    }
    expect((await erase(session)).statusCode).toBe(429);
    await expect(world.signIn(person)).rejects.toThrow('429');
    expect((await call('GET', '/me/token', undefined, session)).statusCode).toBe(200);
    const { entries } = (await world.ask(acme, 'GET', '/audit?action=sign-in.failed'))[1];
    expect(entries[0].actor).toEqual({ user_id: person.user_id, name: person.full_name, agent_id: null });
  });

  it('works from a known browser while strangers have locked the account', async () => {
    const { person, session } = await busyPerson();
    const signIn = { email: person.email, password: PASSWORD };
    const cookies = (await call('POST', '/auth/login', signIn, {})).headers['set-cookie'];
    const known = /guildhall_known=[^;]+/.exec(String(cookies))![0];
    for (let time = 0; time < 10; time++) await call('POST', '/auth/login', { ...signIn, password: 'x' }, {});
    expect((await erase(session)).statusCode).toBe(429);
    expect((await erase({ cookie: `${session.cookie}; ${known}` })).statusCode).toBe(202);
  });

  it('answers 409 and names the workspace whose last admin the person is', async () => {
    const alone = await world.workspace();
    const response = await erase({ cookie: alone.cookie });
    const words = `You are the last admin of ${alone.brand.name}; make someone else an admin first`;
    expect([response.statusCode, response.json()]).toEqual(refused(409, words));
    expect((await call('GET', '/me/token', undefined, { cookie: alone.cookie })).statusCode).toBe(200);
    await world.member(alone.brand, { role: 'admin' });
    expect((await erase({ cookie: alone.cookie })).statusCode).toBe(202);
  });

  it('keeps one admin when two request it at the same time', async () => {
    const both = await world.workspace();
    const second = await world.member(both.brand, { role: 'admin' });
    const sessions = [both.cookie, await world.signIn(second, both.brand)];
    const answers = await Promise.all(sessions.map((cookie) => erase({ cookie })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 409]);
  });

  it('rejects invitations, guest access and memberships for the person, even before the job runs', async () => {
    const { person, session } = await busyPerson();
    const other = await world.workspace();
    await erase(session);
    await world.ask(other, 'POST', '/invitations', { email: person.email, role: 'member' });
    const token = /\/invitations\/([\w-]+)/.exec((await world.outbox()).at(-1)!)![1]!;
    const newcomer = { full_name: 'Somebody', password: PASSWORD };
    expect((await call('POST', `/invitations/${token}/accept`, newcomer, {})).statusCode).toBe(401);
    const put = (path: string, body: object, headers: object) => call('PUT', path, body, headers);
    const guest = `/board/boards/${board}/guests/${person.user_id}`;
    expect((await put(guest, { role: 'viewer' }, acme.bearer)).statusCode).toBe(404);
    const member = `/admin/brands/${acme.brand.brand_id}/members/${person.user_id}`;
    expect((await put(member, {}, { 'x-admin-key': ADMIN_KEY })).statusCode).toBe(404);
  });

  it('ends event streams', async () => {
    const { session } = await busyPerson();
    const url = await world.server.listen({ port: 0, host: '127.0.0.1' });
    const stream = await fetch(`${url}/api/v1/board/activity/boards/${board}/stream`, { headers: session });
    expect(stream.status).toBe(200);
    await erase(session);
    await stream.text();
  });

  it('cancels a pending invitation and frees the address for a new person', async () => {
    const { person, session } = await busyPerson();
    const other = await world.workspace();
    await world.ask(other, 'POST', '/invitations', { email: person.email, role: 'member' });
    await erase(session);
    await world.runJob('erase');
    const [, { invitations }] = await world.ask(other, 'GET', '/invitations');
    expect(invitations[0]).toMatchObject({
      status: 'revoked',
      email: expect.stringContaining('Former member'),
    });
    expect((await world.person({ email: person.email })).user_id).not.toBe(person.user_id);
  });
});

describe('DELETE /admin/users/{user_id}', () => {
  const eraseUser = (id: number | string) =>
    call('DELETE', `/admin/users/${id}`, undefined, { 'x-admin-key': ADMIN_KEY });

  it('erases any person once, including a last admin', async () => {
    const alone = await world.workspace();
    expect((await eraseUser(alone.admin.user_id)).statusCode).toBe(202);
    expect((await call('GET', '/me/token', undefined, alone.bearer)).statusCode).toBe(401);
    const again = await eraseUser(alone.admin.user_id);
    expect([again.statusCode, again.json()]).toEqual(refused(404, 'User not found'));
    for (const id of [999999, 'abc']) expect((await eraseUser(id)).statusCode).toBe(404);
    await world.runJob('erase');
    const { rows } = await world.database.pool.query('select full_name from users where user_id = $1', [
      alone.admin.user_id,
    ]);
    expect(rows).toEqual([{ full_name: 'Former member' }]);
  });

  it('repeats a failed step', async () => {
    const { person } = await busyPerson();
    await eraseUser(person.user_id);
    const { images } = world.app;
    const { delete: real } = images;
    images.delete = () => Promise.reject(new Error('away'));
    expect(await world.runJob('erase')).toMatchObject({ processed: 0, failed: 1 });
    images.delete = real;
    expect(await world.runJob('erase')).toMatchObject({ processed: 1, failed: 0 });
  });
});
