import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../../../../tests/support/app.js';
import {
  refused,
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../../tests/support/settings-world.js';
import { DAY } from '../../../kernel/clock.js';
import type { Invitation } from '../workspaces.schemas.js';
import { createGuestService, type GuestBoards } from './guests.service.js';

let world: SettingsWorld;
let acme: Workspace;
let other: Workspace;

beforeAll(async () => {
  world = await startSettingsWorld();
  [acme, other] = [await world.workspace(), await world.workspace()];
});
afterAll(() => world.stop());

async function makeSpace({ bearer }: Workspace, name = 'Handbook'): Promise<string> {
  const response = await world.inject({
    method: 'POST',
    url: '/api/v1/docs/spaces',
    headers: bearer,
    payload: { name },
  });
  return response.json().space_id;
}

async function makeBoard({ bearer }: Workspace, name = 'Roadmap'): Promise<string> {
  const url = '/api/v1/board/boards';
  const response = await world.inject({ method: 'POST', url, headers: bearer, payload: { name } });
  return response.json().board_id;
}

async function grantAccess({ bearer }: Workspace, place: string, person: TestPerson, role = 'viewer') {
  const url = `/api/v1/${place}/guests/${person.user_id}`;
  const response = await world.inject({ method: 'PUT', url, headers: bearer, payload: { role } });
  expect(response.statusCode).toBe(200);
}

async function makeGuest(workspace: Workspace, fields: Record<string, unknown> = {}): Promise<TestPerson> {
  const guest = await world.person(fields);
  await grantAccess(workspace, `docs/spaces/${await makeSpace(workspace)}`, guest);
  return guest;
}

const makeMember = (workspace: Workspace, userId: number | string) =>
  world.ask(workspace, 'POST', `/guests/${userId}/make-member`);
const remove = (workspace: Workspace, userId: number | string) =>
  world.ask(workspace, 'DELETE', `/guests/${userId}`);

async function mailedToken(): Promise<string> {
  return /\/invitations\/([\w-]+)/.exec((await world.outbox()).at(-1)!)![1]!;
}

const accept = async (token: string, headers: object, payload: object = {}) => {
  const url = `/api/v1/invitations/${token}/accept`;
  const response = await world.inject({ method: 'POST', url, headers: { ...headers }, payload });
  return [response.statusCode, response.json()];
};

describe('GET /brands/{brand_id}/guests', () => {
  it('lists guests with everything they can open', async () => {
    const workspace = await world.workspace();
    const [board, space] = [await makeBoard(workspace), await makeSpace(workspace)];
    const guest = await world.person({ full_name: 'Gast A' });
    await grantAccess(workspace, `board/boards/${board}`, guest, 'commenter');
    await grantAccess(workspace, `docs/spaces/${space}`, guest, 'editor');
    await makeGuest(other);
    const { user_id, email, full_name } = guest;
    expect(await world.ask(workspace, 'GET', '/guests')).toEqual([
      200,
      {
        guests: [
          {
            user_id,
            email,
            full_name,
            image: null,
            access: [
              { kind: 'board', resource_id: board, name: 'Roadmap', role: 'commenter' },
              { kind: 'docs', resource_id: space, name: 'Handbook', role: 'editor' },
            ],
          },
        ],
        total: 1,
      },
    ]);
  });
});

describe('Invalid answers of the boards service', () => {
  const INVALID = { status: 502, detail: 'The boards service returned an invalid response' };
  const guestsWith = (boards: Partial<Omit<GuestBoards, 'holdGuestBoard'>>) => {
    const honest = { listGuestBoards: async () => [], removeGuest: async () => 0 };
    const { db, clock, app } = world;
    return createGuestService({ db, clock, identity: app.identity, boards: { ...honest, ...boards } });
  };
  const item = {
    user_id: 1,
    resource_id: '0198c5a0-0000-7000-8000-000000000000',
    name: 'Roadmap',
    role: null,
  };

  it.each([
    null,
    {},
    'none',
    [null],
    [{ ...item, user_id: '1' }],
    [{ ...item, resource_id: 'board-1' }],
    [{ ...item, name: undefined }],
    [{ ...item, role: 5 }],
  ])('listGuests throws a 502 error for the answer %j', async (answer) => {
    const guests = guestsWith({ listGuestBoards: async () => answer });
    await expect(guests.listGuests(acme.brand.brand_id)).rejects.toMatchObject(INVALID);
  });

  it.each([undefined, null, -1, 0.5, '2', {}])(
    'removeGuest throws a 502 error and removes nothing for the answer %j',
    async (answer) => {
      const guest = await makeGuest(acme);
      const guests = guestsWith({ removeGuest: async () => answer });
      const caller = await world.app.identity.authenticators.pat(acme.token);
      await expect(guests.removeGuest(caller!, guest.user_id)).rejects.toMatchObject(INVALID);
      const [, list] = await world.ask(acme, 'GET', '/guests');
      expect(JSON.stringify(list)).toContain(guest.email);
    },
  );
});

describe('POST /brands/{brand_id}/guests/{user_id}/make-member', () => {
  it('mails an invitation that is valid for seven days and keeps guest access until it is accepted', async () => {
    const guest = await makeGuest(acme);
    const [status, invitation] = (await makeMember(acme, guest.user_id)) as [number, Invitation];
    expect([status, invitation]).toEqual([
      201,
      {
        id: expect.any(Number),
        email: guest.email,
        role: 'member',
        status: 'pending',
        expires_at: expect.any(String),
        created_at: expect.any(String),
      },
    ]);
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * DAY * 1000);
    const letter = (await world.outbox()).at(-1)!;
    expect(letter).toContain(`To: ${guest.email}`);
    expect(letter).toContain(`${world.config.baseUrl}/invitations/`);
    expect(JSON.stringify((await world.ask(acme, 'GET', '/guests'))[1])).toContain(guest.email);

    const cookie = await world.signIn(guest, acme.brand);
    const token = await mailedToken();
    expect(await accept(token, { cookie })).toEqual([200, { brand_id: acme.brand.brand_id, role: 'member' }]);
    expect(JSON.stringify((await world.ask(acme, 'GET', '/guests'))[1])).not.toContain(guest.email);
    expect((await world.ask(acme, 'GET', `/members/${guest.user_id}`))[0]).toBe(200);
    expect((await accept(token, { cookie }))[0]).toBe(400);
  });

  it('lets a person without an auth account choose name and password', async () => {
    const guest = await makeGuest(acme, { password: undefined });
    await makeMember(acme, guest.user_id);
    const answer = await accept(
      await mailedToken(),
      {},
      { full_name: 'New Person', password: 'a new password' },
    );
    expect(answer).toEqual([200, { brand_id: acme.brand.brand_id, role: 'member' }]);
  });

  it('rejects a member, a person who is not a guest here, and a second invitation', async () => {
    expect(await makeMember(acme, acme.admin.user_id)).toEqual(
      refused(400, 'User is already a member of this brand'),
    );
    for (const id of [(await makeGuest(other)).user_id, 999999, 'abc']) {
      expect(await makeMember(acme, id)).toEqual(refused(404, 'Guest not found'));
    }
    const guest = await makeGuest(acme);
    await makeMember(acme, guest.user_id);
    const pending = refused(400, 'An invitation is already pending for this email');
    expect(await makeMember(acme, guest.user_id)).toEqual(pending);
  });

  it('returns 502 and leaves no pending invitation when the mail cannot be sent', async () => {
    const mute = await startSettingsWorld({ SMTP_URL: 'smtp://127.0.0.1:1' });
    const workspace = await mute.workspace();
    const guest = await mute.person();
    const { bearer } = workspace;
    const space = await mute.inject({
      method: 'POST',
      url: '/api/v1/docs/spaces',
      headers: bearer,
      payload: { name: 'A' },
    });
    const url = `/api/v1/docs/spaces/${space.json().space_id}/guests/${guest.user_id}`;
    await mute.inject({ method: 'PUT', url, headers: bearer, payload: { role: 'viewer' } });
    for (let time = 0; time < 2; time++) {
      const answer = await mute.ask(workspace, 'POST', `/guests/${guest.user_id}/make-member`);
      expect(answer).toEqual(refused(502, 'Failed to send invitation email'));
    }
    await mute.stop();
  });
});

describe('GET and DELETE /brands/{brand_id}/invitations', () => {
  const list = async (workspace: Workspace) =>
    (await world.ask(workspace, 'GET', '/invitations'))[1] as { invitations: Invitation[]; total: number };
  const revoke = (workspace: Workspace, id: number | string) =>
    world.ask(workspace, 'DELETE', `/invitations/${id}`);

  it('lists invitations of this workspace and revokes them', async () => {
    const workspace = await world.workspace();
    const guest = await makeGuest(workspace);
    const [, invitation] = (await makeMember(workspace, guest.user_id)) as [number, Invitation];
    const token = await mailedToken();
    expect(await list(workspace)).toEqual({ invitations: [invitation], total: 1 });
    expect(await revoke(other, invitation.id)).toEqual(refused(404, 'Invitation not found'));
    expect(await revoke(workspace, invitation.id)).toEqual([204, undefined]);
    expect((await list(workspace)).invitations).toEqual([{ ...invitation, status: 'revoked' }]);
    expect((await accept(token, { cookie: await world.signIn(guest, workspace.brand) }))[0]).toBe(400);
    expect(await revoke(workspace, invitation.id)).toEqual(refused(404, 'Invitation not found'));
    expect((await makeMember(workspace, guest.user_id))[0]).toBe(201);
  });
});

describe('DELETE /brands/{brand_id}/guests/{user_id}', () => {
  it('removes the guest from every board and docs space and ends their sessions at once', async () => {
    const workspace = await world.workspace();
    const theirs = await makeSpace(other);
    const guest = await world.person();
    await grantAccess(other, `docs/spaces/${theirs}`, guest);
    await remove(other, guest.user_id);
    await grantAccess(workspace, `docs/spaces/${await makeSpace(workspace)}`, guest);
    const [first, second] = [await makeBoard(workspace, 'One'), await makeBoard(workspace, 'Two')];
    for (const board of [first, second]) await grantAccess(workspace, `board/boards/${board}`, guest);
    await grantAccess(other, `docs/spaces/${theirs}`, guest);
    const cookie = await world.signIn(guest, workspace.brand);
    const spaces = () => world.inject({ url: '/api/v1/docs/spaces', headers: { cookie } });
    expect((await spaces()).json().total).toBe(1);

    expect(await remove(workspace, guest.user_id)).toEqual([
      200,
      { success: true, boards_removed: 2, docs_removed: 1 },
    ]);
    expect((await spaces()).statusCode).toBe(401);
    expect(await remove(workspace, guest.user_id)).toEqual(refused(404, 'Guest not found'));
    expect((await world.ask(workspace, 'GET', '/guests'))[1]).toEqual({ guests: [], total: 0 });
    expect(await world.signIn(guest, other.brand)).toContain('guildhall_session');
  });

  it('keeps an ended session ended when the guest is invited again', async () => {
    const guest = await makeGuest(acme);
    const cookie = await world.signIn(guest, acme.brand);
    await remove(acme, guest.user_id);
    await grantAccess(acme, `docs/spaces/${await makeSpace(acme)}`, guest);
    expect((await world.inject({ url: '/api/v1/docs/spaces', headers: { cookie } })).statusCode).toBe(401);
  });

  it("revokes the guest's pending invitation", async () => {
    const guest = await makeGuest(acme);
    await makeMember(acme, guest.user_id);
    const token = await mailedToken();
    await remove(acme, guest.user_id);
    const bearerless = await accept(token, {
      cookie: await world.signIn(await makeGuestAgain(guest), acme.brand),
    });
    expect(bearerless[0]).toBe(400);
  });

  it.each(['abc', '999999'])('returns 404 Guest not found for %s', async (id) => {
    expect(await remove(acme, id)).toEqual(refused(404, 'Guest not found'));
  });

  async function makeGuestAgain(guest: TestPerson): Promise<TestPerson> {
    await grantAccess(acme, `docs/spaces/${await makeSpace(acme)}`, guest);
    return guest;
  }
});

// Last in the file, because the clock can only be advanced.
describe('Invitation after seven days', () => {
  it('is expired, cannot be accepted and does not block a new one', async () => {
    const workspace = await world.workspace();
    const guest = await makeGuest(workspace);
    await makeMember(workspace, guest.user_id);
    const token = await mailedToken();
    await world.advance(7 * DAY);
    const cookie = await world.signIn(guest, workspace.brand);
    expect((await accept(token, { cookie }))[0]).toBe(400);
    const [, body] = await world.ask(workspace, 'GET', '/invitations');
    expect((body as { invitations: Invitation[] }).invitations[0]).toMatchObject({ status: 'expired' });
    expect((await makeMember(workspace, guest.user_id))[0]).toBe(201);
  });
});
