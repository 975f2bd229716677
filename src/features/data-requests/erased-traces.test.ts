import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../../../tests/support/app.js';
import {
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../tests/support/settings-world.js';

let world: SettingsWorld;
let acme: Workspace;

beforeAll(async () => {
  world = await startSettingsWorld();
  acme = await world.workspace();
});
afterAll(() => world.stop());

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const call = (method: Method, path: string, payload?: object, headers: object = acme.bearer) =>
  world.inject({ method, url: `/api/v1${path}`, headers: { ...headers }, payload });
const erase = (cookie: string) => call('DELETE', '/me', { password: PASSWORD }, { cookie });

const keptAnswers = async (): Promise<string> => {
  const { rows } = await world.database.pool.query('select user_id, answer from idempotency_keys');
  return rows.map(({ user_id, answer }) => `${user_id}:${answer ?? ''}`).join('\n');
};
const letters = async (): Promise<string> => {
  const folder = join(world.config.dataDir, 'outbox');
  const files = await readdir(folder);
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
};

describe('An erased address', () => {
  it('is removed from stored idempotent responses and the outbox before the job runs', async () => {
    const person = await world.member(acme.brand);
    const other = await world.workspace();
    const invitation = { email: person.email.toUpperCase(), role: 'member' };
    const path = `/brands/${other.brand.brand_id}/invitations`;
    const key = { 'idempotency-key': 'invite-them' };
    const made = await call('POST', path, invitation, { ...other.bearer, ...key });
    expect(made.statusCode).toBe(201);
    await call('POST', `/brands/${acme.brand.brand_id}/invitations`, {
      email: `else.${person.email}`,
      role: 'member',
    });
    expect((await keptAnswers()).toLowerCase()).toContain(person.email);
    expect((await letters()).toLowerCase()).toContain(`to: ${person.email}`);

    expect((await erase(await world.signIn(person, acme.brand))).statusCode).toBe(202);
    expect((await keptAnswers()).toLowerCase()).not.toContain(person.email);
    const left = await letters();
    expect(left.toLowerCase()).not.toContain(`to: ${person.email}`);
    // Mail to other people stays, even if their address ends with the erased one.
    expect(left).toContain(`To: else.${person.email}`);
    // The idempotency key still works, so that nothing is created twice.
    const again = await call('POST', path, invitation, { ...other.bearer, ...key });
    expect([again.statusCode, again.json()]).toEqual([
      201,
      { ...made.json(), email: `Former member ${person.user_id}` },
    ]);
  });

  it('is removed from pending password reset requests', async () => {
    const person = await world.member(acme.brand);
    await call('POST', '/auth/forgot-password', { email: person.email }, {});
    await erase(await world.signIn(person, acme.brand));
    const { rows } = await world.database.pool.query(
      'select from password_reset_requests where account_name = $1',
      [person.email],
    );
    expect(rows).toEqual([]);
  });
});

describe('Stored idempotent responses of an erased person', () => {
  it("are deleted by the job, which also removes the person's name from other people's responses", async () => {
    const person = await world.member(acme.brand, {
      person: await world.person({ full_name: 'Kept In Answers' }),
    });
    const bearer = { authorization: `Bearer ${await world.token(acme.brand, person)}` };
    const board = (await call('POST', '/board/boards', { name: 'Kept' })).json().board_id;
    const tasks = `/board/boards/${board}/tasks`;
    const ask = (headers: object, key: string) =>
      call(
        'POST',
        `${tasks}?response=full`,
        { title: 'Kept', assignee: person.user_id },
        { ...headers, 'idempotency-key': key },
      );
    expect((await ask(bearer, 'theirs')).statusCode).toBe(201);
    expect((await ask(acme.bearer, 'ours')).statusCode).toBe(201);
    const cookie = await world.signIn(person, acme.brand);
    expect(await keptAnswers()).toContain(`${person.user_id}:`);
    expect(await keptAnswers()).toContain('Kept In Answers');
    await erase(cookie);
    await world.runJob('erase');
    expect(await keptAnswers()).not.toMatch(new RegExp(`^${person.user_id}:`, 'm'));
    expect(await keptAnswers()).not.toContain('Kept In Answers');
    expect((await ask(acme.bearer, 'ours')).json()).toMatchObject({ title: 'Kept' });
  });
});

describe('Webhook bodies', () => {
  it('no longer name an erased person or their addresses', async () => {
    const person = await world.member(acme.brand, { person: await world.person({ mail_name: 'in-hooks' }) });
    const bearer = { authorization: `Bearer ${await world.token(acme.brand, person)}` };
    const hook = { url: 'https://hooks.example.com/all', events: ['*'] };
    const path = `/brands/${acme.brand.brand_id}/webhooks`;
    expect((await call('POST', path, hook)).statusCode).toBe(201);
    const board = (await call('POST', '/board/boards', { name: 'Hooked' })).json().board_id;
    const title = `Write to ${person.email} or in-hooks@mail.guildhall.local`;
    await call('POST', `/board/boards/${board}/tasks`, { title }, bearer);
    await erase(await world.signIn(person, acme.brand));
    await world.runJob('erase');
    const { rows } = await world.database.pool.query('select body from webhook_messages');
    const bodies = rows.map(({ body }) => body).join('\n');
    expect(bodies).toContain('Hooked');
    for (const trace of [person.email, person.full_name, 'in-hooks']) expect(bodies).not.toContain(trace);
  });
});

describe('Mail names', () => {
  it('of an erased person are not stored in plain text, and stay reserved for as long as they would forward', async () => {
    const person = await world.member(acme.brand, {
      person: await world.person({ mail_name: 'once-theirs' }),
    });
    await erase(await world.signIn(person, acme.brand));
    const { rows } = await world.database.pool.query('select name from mail_names');
    expect(rows.map(({ name }) => name).join()).not.toContain('once-theirs');
    await expect(world.person({ mail_name: 'once-theirs' })).rejects.toThrow('409');
    await world.advance(30 * 24 * 3600);
    expect((await world.person({ mail_name: 'once-theirs' })).user_id).toBeGreaterThan(person.user_id);
    expect(await world.runJob('erase')).toMatchObject({ failed: 0 });
    const left = await world.database.pool.query('select from mail_names where user_id = $1', [
      person.user_id,
    ]);
    expect(left.rows).toEqual([]);
  });
});

describe('GET /me/export', () => {
  it('omits excerpts that the inbox hides', async () => {
    const boards = [];
    for (const name of ['Open', 'Closed'])
      boards.push((await call('POST', '/board/boards', { name })).json().board_id);
    const guest = await world.person({ full_name: 'Gwen Guest' });
    for (const board of boards) {
      await call('PUT', `/board/boards/${board}/guests/${guest.user_id}`, { role: 'editor' });
      const card = (await call('POST', `/board/boards/${board}/tasks`, { title: 'Talk' })).json();
      await call('POST', `/board/tasks/${card.id}/comments`, { body: `@Gwen Guest, about ${board}` });
    }
    const cookie = await world.signIn(guest, acme.brand);
    await call('DELETE', `/board/boards/${boards[1]}/guests/${guest.user_id}`);
    const { items } = (await call('GET', '/me/inbox', undefined, { cookie })).json();
    expect(items).toHaveLength(1);
    const body = (await call('GET', '/me/export', undefined, { cookie })).json();
    const excerpts = body.inbox.map(({ excerpt }: { excerpt: string | null }) => excerpt);
    expect(excerpts.sort()).toEqual([`@Gwen Guest, about ${boards[0]}`, null].sort());
  });
});
