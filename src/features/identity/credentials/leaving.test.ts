import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../../../../tests/support/app.js';
import {
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../../tests/support/settings-world.js';

let world: SettingsWorld;
let url: string;
let acme: Workspace;
let board: string;
let space: string;

beforeAll(async () => {
  world = await startSettingsWorld();
  url = await world.server.listen({ port: 0, host: '127.0.0.1' });
  acme = await world.workspace();
  board = (await call('POST', '/api/v1/board/boards', { name: 'Roadmap' })).json().board_id;
  space = (await call('POST', '/api/v1/docs/spaces', { name: 'Handbook' })).json().space_id;
});
afterAll(() => world.stop());

const call = (method: 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, headers = acme.bearer) =>
  world.inject({ method, url: path, headers, payload });

const places = { board: () => `/api/v1/board/boards/${board}`, space: () => `/api/v1/docs/spaces/${space}` };

async function grantAccess(person: TestPerson, place: keyof typeof places) {
  const path = `${places[place]()}/guests/${person.user_id}`;
  expect((await call('PUT', path, { role: 'viewer' })).statusCode).toBe(200);
}

const withdraw = (person: TestPerson, place: keyof typeof places) =>
  call('DELETE', `${places[place]()}/guests/${person.user_id}`);

/** Creates a pending invitation for the guest and returns its token. */
async function invite(person: TestPerson): Promise<string> {
  await world.ask(acme, 'POST', `/guests/${person.user_id}/make-member`);
  return /\/invitations\/([\w-]+)/.exec((await world.outbox()).at(-1)!)![1]!;
}

const member = async () => {
  const person = await world.person();
  await grantAccess(person, 'space');
  const invitation = await invite(person);
  await world.member(acme.brand, { person });
  return { person, invitation };
};

const guest =
  (...opened: (keyof typeof places)[]) =>
  async () => {
    const person = await world.person();
    for (const place of opened) await grantAccess(person, place);
    return { person, invitation: await invite(person) };
  };

const memberPath = ({ user_id }: TestPerson) => `/brands/${acme.brand.brand_id}/members/${user_id}`;

describe.each([
  [
    'a member whom an admin removes',
    member,
    (person: TestPerson) => call('DELETE', `/api/v1${memberPath(person)}`),
  ],
  [
    'a member whom the operator removes',
    member,
    (person: TestPerson) => world.operator('DELETE', memberPath(person)),
  ],
  [
    'a guest withdrawn from their last board',
    guest('board'),
    (person: TestPerson) => withdraw(person, 'board'),
  ],
  [
    'a guest withdrawn from their last space',
    guest('space'),
    (person: TestPerson) => withdraw(person, 'space'),
  ],
  [
    'a guest removed from everything',
    guest('board', 'space'),
    (person: TestPerson) => world.ask(acme, 'DELETE', `/guests/${person.user_id}`),
  ],
])('%s', (_way, come, leave) => {
  it('loses sessions, tokens, streams and pending invitations at the commit, and never regains them', async () => {
    const { person, invitation } = await come();
    const cookie = { cookie: await world.signIn(person, acme.brand) };
    const isMember = come === member;
    const bearer = { authorization: `Bearer ${isMember ? await world.token(acme.brand, person) : 'none'}` };
    const states = async () =>
      Promise.all(
        [cookie, bearer].map(
          async (headers) => (await world.inject({ url: '/api/v1/me/token', headers })).statusCode,
        ),
      );
    expect(await states()).toEqual([200, isMember ? 200 : 401]);
    // A guest with only a docs space cannot read the board, so the stream is refused for them.
    const stream = await fetch(`${url}/api/v1/board/activity/boards/${board}/stream`, { headers: cookie });

    await leave(person);
    expect(await states()).toEqual([401, 401]);
    await stream.text();
    await grantAccess(person, 'board');
    expect(await states()).toEqual([401, 401]);
    const back = { cookie: await world.signIn(person, acme.brand) };
    const accepted = await call('POST', `/api/v1/invitations/${invitation}/accept`, {}, back as never);
    expect([accepted.statusCode, accepted.json()]).toEqual([
      400,
      { detail: 'This invitation is no longer valid' },
    ]);
  });
});

describe('Guest who loses a board but still has a docs space', () => {
  it('keeps their session and their invitation', async () => {
    const { person, invitation } = await guest('board', 'space')();
    const cookie = { cookie: await world.signIn(person, acme.brand) };
    expect((await withdraw(person, 'board')).statusCode).toBe(204);
    expect((await world.inject({ url: '/api/v1/me/token', headers: cookie })).statusCode).toBe(200);
    const accepted = await call('POST', `/api/v1/invitations/${invitation}/accept`, {}, cookie as never);
    expect(accepted.statusCode).toBe(200);
  });
});

describe('Person of two workspaces who leaves one', () => {
  it('keeps sessions, tokens and invitations in the other workspace', async () => {
    const other = await world.workspace();
    const person = await world.member(other.brand, { person: await world.member(acme.brand) });
    const guestThere = await world.workspace();
    const { invitations, changeIdentities } = world.app.identity;
    const invitation = await changeIdentities((tx) =>
      invitations.create(tx, guestThere.brand.brand_id, {
        email: person.email,
        invitedBy: guestThere.admin.user_id,
      }),
    );
    const cookie = { cookie: await world.signIn(person, other.brand) };
    const bearer = { authorization: `Bearer ${await world.token(other.brand, person)}` };
    expect((await call('DELETE', `/api/v1${memberPath(person)}`)).statusCode).toBe(204);
    for (const headers of [cookie, bearer])
      expect((await world.inject({ url: '/api/v1/me/token', headers })).statusCode).toBe(200);
    const path = `/api/v1/invitations/${invitation!.token}/accept`;
    expect((await call('POST', path, {}, cookie as never)).statusCode).toBe(200);
  });
});

describe('Resource that is closed to all guests', () => {
  it('removes only the guests who have no other resource', async () => {
    const [alone, other] = [await guest('board')(), await guest('board', 'space')()];
    const cookies = await Promise.all(
      [alone, other].map(async ({ person }) => ({ cookie: await world.signIn(person, acme.brand) })),
    );
    const { guests, changeIdentities } = world.app.identity;
    await changeIdentities((tx) =>
      guests.revokeAllAccess(tx, acme.brand.brand_id, { kind: 'board', resourceId: board }),
    );
    const states = cookies.map(
      async (headers) => (await world.inject({ url: '/api/v1/me/token', headers })).statusCode,
    );
    expect(await Promise.all(states)).toEqual([401, 200]);
  });
});

describe('Sign-in during the removal of a person', () => {
  it('waits and then fails, so that no session becomes valid when the person returns', async () => {
    const { person } = await member();
    const { members, changeIdentities } = world.app.identity;
    const waiting = async () => {
      const { rows } = await world.database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length;
    };
    const signIn = await changeIdentities(async (tx) => {
      await members.remove(tx, acme.brand.brand_id, person.user_id);
      const attempt = world.signIn(person, acme.brand).catch((error: Error) => error.message);
      await expect.poll(waiting).toBe(1);
      return [attempt];
    });
    expect(await signIn[0]).toContain('sign-in: 401');
  });
});
