import { afterAll, beforeAll, describe, expect } from 'vitest';
import { PASSWORD, type TestPerson } from '../../../../tests/support/app.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import {
  refused,
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../../tests/support/settings-world.js';
import { DAY } from '../../../kernel/clock.js';

let world: SettingsWorld;
let acme: Workspace;
let other: Workspace;
let people = 0;

beforeAll(async () => {
  world = await startSettingsWorld();
  [acme, other] = [await world.workspace(), await world.workspace()];
});
afterAll(() => world.stop());

const newEmail = () => `invited${++people}@example.test`;
const newcomer = { full_name: 'Nova Newcomer', password: PASSWORD };
const ALREADY_MEMBER = refused(400, 'User is already a member of this brand');
const PENDING = refused(400, 'An invitation is already pending for this email');
const DEAD = refused(400, 'This invitation is no longer valid');

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
async function call(method: Method, url: string, payload?: object, headers: object = acme.bearer) {
  const response = await world.inject({ method, url: `/api/v1${url}`, headers: { ...headers }, payload });
  return [response.statusCode, response.body === '' ? undefined : response.json()];
}

const invite = (email: string, role = 'member', workspace = acme) =>
  world.ask(workspace, 'POST', '/invitations', { email, role });

const mailedTo = async (email: string): Promise<string[]> =>
  (await world.outbox())
    .filter((letter) => letter.includes(`To: ${email}`))
    .map((letter) => /\/invitations\/([\w-]+)/.exec(letter)![1]!);

const tokenOf = async (email: string) => (await mailedTo(email)).at(-1)!;
const look = (token: string) => call('GET', `/invitations/${token}`, undefined, {});
const accept = (token: string, payload: object = newcomer, headers: object = {}) =>
  call('POST', `/invitations/${token}/accept`, payload, headers);

const makeBoard = async (): Promise<string> =>
  (await call('POST', '/board/boards', { name: 'Roadmap' }))[1].board_id;
const makeSpace = async (): Promise<string> =>
  (await call('POST', '/docs/spaces', { name: 'Handbook' }))[1].space_id;

const signIn = async (email: string, workspace = acme) => ({
  cookie: await world.signIn({ email } as TestPerson, workspace.brand),
});

describe('POST /brands/{brand_id}/invitations', () => {
  it.each(['member', 'admin'])(
    'mails an invitation, and a new person who accepts it becomes %s',
    async (role) => {
      const email = newEmail();
      const [status, invitation] = await invite(email, role);
      expect([status, invitation]).toEqual([
        201,
        {
          id: expect.any(Number),
          email,
          role,
          status: 'pending',
          expires_at: expect.any(String),
          created_at: expect.any(String),
        },
      ]);
      expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * DAY * 1000);
      const letter = (await world.outbox()).at(-1)!.replaceAll(/\s+/g, ' ');
      expect(letter).toContain(
        `${acme.admin.full_name} invites you to become a member of ${acme.brand.name}`,
      );
      expect(await accept(await tokenOf(email))).toEqual([200, { brand_id: acme.brand.brand_id, role }]);
      const [, { members }] = await world.ask(acme, 'GET', '/members');
      expect(members.at(-1)).toMatchObject({ email, role, full_name: 'Nova Newcomer' });
    },
  );

  it('lets a person with an account accept with their session', async () => {
    const person = await world.member(other.brand);
    await invite(person.email);
    const token = await tokenOf(person.email);
    expect((await accept(token))[0]).toBe(401);
    expect((await accept(token, {}, { cookie: acme.cookie }))[0]).toBe(403);
    const session = await signIn(person.email, other);
    expect(await accept(token, {}, session)).toEqual([
      200,
      { brand_id: acme.brand.brand_id, role: 'member' },
    ]);
  });

  it('rejects a member regardless of case, and a second invitation while the first is pending', async () => {
    expect(await invite(acme.admin.email.toUpperCase())).toEqual(ALREADY_MEMBER);
    const email = newEmail();
    await invite(email);
    expect(await invite(email.toUpperCase(), 'admin')).toEqual(PENDING);
    expect((await invite(email, 'member', other))[0]).toBe(201);
  });

  it('treats ß and ss in an address as different people', async () => {
    const member = await world.member(acme.brand, {
      person: await world.person({ full_name: 'Secret Name', email: 'petra@strasse.test' }),
    });
    const email = member.email.replace('strasse', 'straße');
    expect((await invite(email))[0]).toBe(201);
    expect((await world.outbox()).at(-1)).not.toContain('Secret Name');
  });

  it.each([
    [{ email: 'nobody', role: 'member' }],
    [{ email: 'a@localhost', role: 'member' }],
    [{ email: 'a@example.', role: 'member' }],
    [{ email: 'a@.test', role: 'member' }],
    [{ email: 'a@example..test', role: 'member' }],
    [{ email: 'a@b\r\nBcc: x@y.z', role: 'member' }],
    [{ email: `${'a'.repeat(320)}@example.test`, role: 'member' }],
    [{ email: 'a@example.test', role: 'guest' }],
    [{ email: 'a@example.test', role: 'owner' }],
    [{ email: 'a@example.test' }],
    [{ role: 'member' }],
    [{ email: 'a@example.test', role: 'member', name: 'x' }],
  ])('returns 422 for %j', async (body) => {
    expect((await world.ask(acme, 'POST', '/invitations', body))[0]).toBe(422);
  });

  itDeeply('sends at most 200 mails per hour for a workspace', async () => {
    const busy = await world.workspace();
    const emails = Array.from({ length: 200 }, newEmail);
    for (const email of emails) expect((await invite(email, 'member', busy))[0]).toBe(201);
    const refusal = refused(429, 'The workspace sent too many invitations; try again later');
    const late = newEmail();
    expect(await invite(late, 'member', busy)).toEqual(refusal);
    expect(await invite(emails[0]!, 'member', busy)).toEqual(PENDING);
    expect((await world.ask(busy, 'GET', '/invitations'))[1].total).toBe(200);
    await world.advance(3600);
    expect((await invite(late, 'member', busy))[0]).toBe(201);
  });
});

describe('Invitation whose creator was removed', () => {
  it.each(['admin', 'operator', 'erased'])('is void when the creator was removed by: %s', async (way) => {
    const home = await world.workspace();
    const maker = await world.member(home.brand, { role: 'admin' });
    const bearer = { authorization: `Bearer ${await world.token(home.brand, maker)}` };
    const board = (await call('POST', '/board/boards', { name: 'B' }, bearer))[1].board_id;
    const [asMember, asGuest] = [newEmail(), newEmail()];
    const wish = { email: asMember, role: 'admin' };
    expect((await world.ask(home, 'POST', '/invitations', wish, bearer))[0]).toBe(201);
    const guest = { email: asGuest, role: 'viewer' };
    expect((await call('POST', `/board/boards/${board}/guests`, guest, bearer))[0]).toBe(201);
    const tokens = [await tokenOf(asMember), await tokenOf(asGuest)];
    for (const token of tokens) expect((await look(token))[0]).toBe(200);
    if (way === 'admin') await world.ask(home, 'DELETE', `/members/${maker.user_id}`);
    if (way === 'operator')
      await world.operator('DELETE', `/brands/${home.brand.brand_id}/members/${maker.user_id}`);
    if (way === 'erased') await world.operator('DELETE', `/users/${maker.user_id}`);
    for (const token of tokens) {
      expect(await look(token)).toEqual(DEAD);
      expect(await accept(token)).toEqual(DEAD);
    }
    // It stays void when the creator returns, and does not block a new invitation.
    if (way !== 'erased') await world.member(home.brand, { person: maker, role: 'admin' });
    for (const token of tokens) expect(await accept(token)).toEqual(DEAD);
    expect((await invite(asMember, 'member', home))[0]).toBe(201);
  });
});

describe('POST /invitations/{token}/accept', () => {
  it('raises a member to admin but does not lower an admin to member', async () => {
    const home = await world.workspace();
    const [rising, staying] = [await world.person(), await world.person()];
    await invite(rising.email, 'admin', home);
    await invite(staying.email, 'member', home);
    await world.member(home.brand, { person: rising, role: 'member' });
    await world.member(home.brand, { person: staying, role: 'admin' });
    const roleOf = async (person: TestPerson) => {
      const headers = await signIn(person.email, home);
      const answer = await accept(await tokenOf(person.email), {}, headers);
      return [answer, (await call('GET', '/me', undefined, headers))[1].role];
    };
    const accepted = (role: string) => [[200, { brand_id: home.brand.brand_id, role }], role];
    expect(await roleOf(rising)).toEqual(accepted('admin'));
    expect(await roleOf(staying)).toEqual(accepted('admin'));
  });

  it.each([
    'Nova\nNewcomer',
    'Nova\r\nBcc: x@example.test',
    'Nova\u2028X',
    'Nova\u0007',
    'No\u0085va',
    ' \t ',
  ])('rejects the multi-line or blank name %j', async (full_name) => {
    const email = newEmail();
    await invite(email);
    const [status, { detail }] = await accept(await tokenOf(email), { full_name, password: PASSWORD });
    expect([status, detail]).toEqual([
      422,
      'full_name must not be blank and must not contain line breaks or other control characters',
    ]);
    const refusedNames = [
      await call('PATCH', '/me', { full_name }, { cookie: acme.cookie }),
      await world.ask(acme, 'PATCH', '', { name: full_name }),
    ];
    expect(refusedNames.map(([code]) => code)).toEqual([422, 422]);
    await expect(world.person({ full_name })).rejects.toThrow('422');
    await expect(world.brand({ name: full_name })).rejects.toThrow('422');
    await expect(
      world.operator('PATCH', `/brands/${acme.brand.brand_id}`, { name: full_name }),
    ).rejects.toThrow('422');
  });
});

describe('GET /invitations/{token}', () => {
  it('shows the invitation without a credential', async () => {
    const email = newEmail();
    await invite(email, 'admin');
    expect(await look(await tokenOf(email))).toEqual([
      200,
      {
        brand: { name: acme.brand.name },
        inviter: { name: acme.admin.full_name },
        email,
        role: 'admin',
        new_person: true,
      },
    ]);
    const known = await world.person();
    await invite(known.email);
    expect((await look(await tokenOf(known.email)))[1]).toMatchObject({ new_person: false });
    const withoutAccount = await world.person({ password: undefined });
    await invite(withoutAccount.email);
    expect((await look(await tokenOf(withoutAccount.email)))[1]).toMatchObject({ new_person: true });
  });

  it('returns the same 400 as accept for used, revoked, expired and unknown invitations', async () => {
    const [used, revoked, expired] = [newEmail(), newEmail(), newEmail()];
    await invite(used);
    await accept(await tokenOf(used));
    const [, { id }] = await invite(revoked);
    await world.ask(acme, 'DELETE', `/invitations/${id}`);
    for (const email of [used, revoked]) expect(await look(await tokenOf(email))).toEqual(DEAD);
    expect(await look('x'.repeat(200))).toEqual(DEAD);
    await invite(expired);
    await world.advance(7 * DAY);
    expect(await look(await tokenOf(expired))).toEqual(DEAD);
  });
});

describe('POST .../guests', () => {
  it.each(['board', 'space'] as const)(
    'invites to a %s, and the person becomes a guest when they accept',
    async (kind) => {
      const path =
        kind === 'board' ? `/board/boards/${await makeBoard()}` : `/docs/spaces/${await makeSpace()}`;
      const email = newEmail();
      const [status, invitation] = await call('POST', `${path}/guests`, { email, role: 'commenter' });
      expect([status, invitation]).toMatchObject([201, { email, role: 'guest', status: 'pending' }]);
      const guests = async () => JSON.stringify((await world.ask(acme, 'GET', '/guests'))[1]);
      expect(await guests()).not.toContain(email);
      expect((await look(await tokenOf(email)))[1]).toMatchObject({ role: 'guest' });
      expect(await accept(await tokenOf(email))).toEqual([
        200,
        { brand_id: acme.brand.brand_id, role: 'guest' },
      ]);
      expect(await guests()).toContain(email);
      const session = await signIn(email);
      expect((await call('GET', path, undefined, session))[0]).toBe(200);
      expect((await call('GET', '/projects', undefined, session))[0]).toBe(403);
    },
  );

  it('adds several resources to one pending invitation, and the token of each mail works', async () => {
    const [board, space] = [await makeBoard(), await makeSpace()];
    const email = newEmail();
    const first = (await call('POST', `/board/boards/${board}/guests`, { email, role: 'viewer' }))[1];
    const second = (await call('POST', `/docs/spaces/${space}/guests`, { email, role: 'editor' }))[1];
    expect(second.id).toBe(first.id);
    expect(await call('POST', `/docs/spaces/${space}/guests`, { email, role: 'viewer' })).toEqual(PENDING);
    expect(await invite(email)).toEqual(PENDING);
    const [early, late] = await mailedTo(email);
    expect((await look(early!))[0]).toBe(200);
    expect((await accept(late!))[0]).toBe(200);
    expect(await accept(early!)).toEqual(DEAD);
    const session = await signIn(email);
    expect((await call('GET', `/board/boards/${board}`, undefined, session))[0]).toBe(200);
    expect((await call('GET', `/docs/spaces/${space}`, undefined, session))[0]).toBe(200);
  });

  it('adds no resource to a pending invitation for an address that differs only in ß and ss', async () => {
    const [board, space] = [await makeBoard(), await makeSpace()];
    const [email, other] = ['quentin@strasse.test', 'quentin@straße.test'];
    await call('POST', `/board/boards/${board}/guests`, { email, role: 'viewer' });
    expect(await call('POST', `/docs/spaces/${space}/guests`, { email: other, role: 'viewer' })).toEqual(
      PENDING,
    );
    expect(await mailedTo(other)).toEqual([]);
    expect((await accept(await tokenOf(email)))[0]).toBe(200);
    const session = await signIn(email);
    expect((await call('GET', '/docs/spaces', undefined, session))[1].total).toBe(0);
  });

  it('grants both of two boards that are requested at the same moment', async () => {
    const [one, two] = [await makeBoard(), await makeBoard()];
    const email = newEmail();
    const answers = await Promise.all(
      [one, two].map((board) => call('POST', `/board/boards/${board}/guests`, { email, role: 'viewer' })),
    );
    expect(answers.map(([status]) => status)).toEqual([201, 201]);
    await accept(await tokenOf(email));
    expect((await call('GET', '/board/boards', undefined, await signIn(email)))[1].total).toBe(2);
  });

  it('drops a board that is deleted before acceptance, and ends with the last board', async () => {
    const [one, two] = [await makeBoard(), await makeBoard()];
    const email = newEmail();
    for (const board of [one, two])
      await call('POST', `/board/boards/${board}/guests`, { email, role: 'viewer' });
    await call('DELETE', `/board/boards/${one}`);
    const token = (await mailedTo(email))[0]!;
    expect((await look(token))[0]).toBe(200);
    await call('DELETE', `/board/boards/${two}`);
    expect(await look(token)).toEqual(DEAD);
    expect((await invite(email))[0]).toBe(201);
  });

  it("drops a resource when the guest's access to it is removed", async () => {
    const [one, two] = [await makeBoard(), await makeBoard()];
    const guest = await world.person();
    for (const board of [one, two])
      await call('PUT', `/board/boards/${board}/guests/${guest.user_id}`, { role: 'viewer' });
    await call('POST', `/board/boards/${one}/guests`, { email: guest.email, role: 'editor' });
    const token = await tokenOf(guest.email);
    expect((await call('DELETE', `/board/boards/${one}/guests/${guest.user_id}`))[0]).toBe(204);
    expect(await accept(token, {}, await signIn(guest.email))).toEqual(DEAD);
  });

  it('rejects members, invalid bodies, unknown resources and callers who are not admins', async () => {
    const [board, space] = [await makeBoard(), await makeSpace()];
    const body = { email: newEmail(), role: 'viewer' };
    const member = await world.memberBearer(acme);
    for (const path of [`/board/boards/${board}/guests`, `/docs/spaces/${space}/guests`]) {
      expect(await call('POST', path, { ...body, email: acme.admin.email })).toEqual(ALREADY_MEMBER);
      for (const role of ['member', 'guest', 'owner', null])
        expect((await call('POST', path, { ...body, role }))[0]).toBe(422);
      expect((await call('POST', path, { ...body, email: 'x' }))[0]).toBe(422);
      expect((await call('POST', path, body, member))[0]).toBe(403);
    }
    const nowhere = '0198c5a0-0000-7000-8000-000000000000';
    for (const [path, status] of [
      [`/board/boards/${nowhere}`, 404],
      [`/docs/spaces/${nowhere}`, 404],
      ['/docs/spaces/none', 404],
    ] as const)
      expect((await call('POST', `${path}/guests`, body))[0]).toBe(status);
    expect((await call('POST', `/board/boards/${board}/guests`, body, other.bearer))[0]).toBe(403);
    expect((await call('POST', `/docs/spaces/${space}/guests`, body, other.bearer))[0]).toBe(404);
  });
});

describe('PUT .../guests/{user_id}', () => {
  it('accepts former members and people without a workspace, and returns 404 for others', async () => {
    const board = await makeBoard();
    const put = async ({ user_id }: TestPerson) =>
      (await call('PUT', `/board/boards/${board}/guests/${user_id}`, { role: 'viewer' }))[0];
    expect(await put(await world.member(other.brand))).toBe(404);
    expect(await put(await world.person())).toBe(200);
    const former = await world.member(acme.brand, { person: await world.member(other.brand) });
    await world.ask(acme, 'DELETE', `/members/${former.user_id}`);
    expect(await put(former)).toBe(200);
  });
});
