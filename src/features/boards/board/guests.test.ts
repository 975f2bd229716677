import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';
import type { FullCard } from '../cards/cards.schemas.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

let world: World;
let workspace: Workspace;
let admins: BoardCaller;
let open: Board;
let closed: Board;
let card: FullCard;
let person: TestPerson;
let guest: BoardCaller;

beforeAll(async () => {
  world = await startTestApp();
  workspace = await world.workspace();
  admins = boardCaller(world, workspace.bearer);
  open = await admins.board({ name: 'Open' });
  closed = await admins.board({ name: 'Closed' });
});
afterAll(() => world.stop());

const invite = (role: unknown, boardId = open.board_id, userId: number | string = person.user_id) =>
  admins.call('PUT', `/boards/${boardId}/guests/${userId}`, { role });

beforeEach(async () => {
  card = await admins.card(open.board_id);
  person = await world.person();
  await invite('viewer');
  guest = boardCaller(world, { cookie: await world.signIn(person, workspace.brand) });
});

describe('your_role of a board', () => {
  const roles = async (caller: BoardCaller) => {
    const one = (await caller.get(`/boards/${open.board_id}`)).json();
    const { boards } = (await caller.get('/boards')).json() as { boards: Board[] };
    return [one.your_role, boards.find(({ board_id }) => board_id === open.board_id)?.your_role];
  };

  it.each(['viewer', 'commenter', 'editor'] as const)('is %s for a guest of that level', async (level) => {
    await invite(level);
    expect(await roles(guest)).toEqual([level, level]);
  });

  it('is the workspace role for admins and members, also after creating or changing a board', async () => {
    const member = await world.member(workspace.brand);
    const members = boardCaller(world, {
      authorization: `Bearer ${await world.token(workspace.brand, member)}`,
    });
    expect(await roles(admins)).toEqual(['admin', 'admin']);
    expect(await roles(members)).toEqual(['member', 'member']);
    const made = await members.board({ name: 'Made by a member' });
    expect(made.your_role).toBe('member');
    expect((await admins.patch(`/boards/${made.board_id}`, { name: 'Changed' })).json().your_role).toBe(
      'admin',
    );
  });
});

describe('PUT /api/v1/board/boards/{board_id}/guests/{user_id}', () => {
  it('returns 200 with the guest, and changes the level when repeated', async () => {
    const response = await invite('editor');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      board_id: open.board_id,
      user_id: person.user_id,
      email: person.email,
      full_name: person.full_name,
      role: 'editor',
      created_at: expect.any(String),
    });
  });

  it('is for admins only', async () => {
    const member = await world.member(workspace.brand);
    const members = boardCaller(world, {
      authorization: `Bearer ${await world.token(workspace.brand, member)}`,
    });
    const path = `/boards/${open.board_id}/guests/${person.user_id}`;
    for (const caller of [members, guest]) {
      const response = await caller.call('PUT', path, { role: 'viewer' });
      expect(response.statusCode).toBe(403);
      expect(response.json()).toEqual({ detail: 'Brand admin access required' });
    }
  });

  it('returns 422 for another role, 404 for an unknown user or board, 409 for a member and 403 for a board of another workspace', async () => {
    const elsewhere = await boardCaller(world, (await world.workspace()).bearer).board();
    expect((await invite('owner')).statusCode).toBe(422);
    expect((await invite(undefined)).statusCode).toBe(422);
    expect((await invite('viewer', open.board_id, 999_999)).statusCode).toBe(404);
    expect((await invite('viewer', open.board_id, 'x')).statusCode).toBe(404);
    expect((await invite('viewer', MISSING)).statusCode).toBe(404);
    expect((await invite('viewer', open.board_id, workspace.admin.user_id)).statusCode).toBe(409);
    expect((await invite('viewer', elsewhere.board_id)).statusCode).toBe(403);
  });
});

describe('People who can be invited by their id', () => {
  it('are or were in this workspace, or belong to none', async () => {
    const other = await world.workspace();
    const elsewhere = await boardCaller(world, other.bearer).board();
    const foreign = await world.member(other.brand);
    const answer = await invite('viewer', open.board_id, foreign.user_id);
    expect([answer.statusCode, answer.json()]).toEqual([404, { detail: 'User not found' }]);
    await world.operator('DELETE', `/brands/${other.brand.brand_id}/members/${foreign.user_id}`);
    expect((await invite('viewer', open.board_id, foreign.user_id)).statusCode).toBe(200);
    const theirs = `/boards/${elsewhere.board_id}/guests/${person.user_id}`;
    const stranger = await boardCaller(world, other.bearer).call('PUT', theirs, { role: 'viewer' });
    expect(stranger.statusCode).toBe(404);
  });
});

describe('A guest', () => {
  const statuses = async (requests: [Parameters<BoardCaller['call']>[0], string, object?][]) =>
    Promise.all(
      requests.map(async ([method, path, payload]) => (await guest.call(method, path, payload)).statusCode),
    );

  const writes = (): [Parameters<BoardCaller['call']>[0], string, object?][] => [
    ['POST', `/tasks/${card.id}/comments`, { body: 'x' }],
    ['POST', `/boards/${open.board_id}/tasks`, { title: 'x' }],
    ['PATCH', `/tasks/${card.id}`, { title: 'y' }],
    ['DELETE', `/tasks/${card.id}`],
    ['POST', '/boards', { name: 'x' }],
    ['PATCH', `/boards/${open.board_id}`, { name: 'x' }],
  ];

  it('reads the board as viewer and cannot write', async () => {
    expect(
      await statuses([
        ['GET', `/boards/${open.board_id}`],
        ['GET', `/boards/${open.board_id}/tasks`],
        ['GET', `/tasks/${card.id}`],
        ['GET', `/tasks/${card.id}/comments`],
        ['GET', `/activity/boards/${open.board_id}`],
        ['GET', `/boards/${open.board_id}/export`],
      ]),
    ).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await statuses(writes())).toEqual([403, 403, 403, 403, 403, 403]);
  });

  it('can also comment as commenter, and create and change cards as editor', async () => {
    await invite('commenter');
    expect(await statuses(writes())).toEqual([201, 403, 403, 403, 403, 403]);
    await invite('editor');
    expect(await statuses(writes())).toEqual([201, 201, 200, 403, 403, 403]);
  });

  it('gets 403 on every route of another board', async () => {
    const hidden = await admins.card(closed.board_id);
    expect(
      await statuses([
        ['GET', `/boards/${closed.board_id}`],
        ['GET', `/boards/${closed.board_id}/tasks`],
        ['GET', `/activity/boards/${closed.board_id}`],
        ['GET', `/activity/boards/${closed.board_id}/stream`],
        ['GET', `/boards/${closed.board_id}/export`],
        ['GET', `/tasks/${hidden.id}`],
        ['PATCH', `/tasks/${hidden.id}`, { title: 'x' }],
        ['GET', `/master/tasks?board_ids=${closed.board_id}`],
      ]),
    ).toEqual(Array(8).fill(403));
  });

  it('sees only their boards in lists and master tasks', async () => {
    const hidden = await admins.card(closed.board_id);
    expect((await guest.get('/boards')).json()).toMatchObject({
      boards: [{ board_id: open.board_id }],
      total: 1,
    });
    const { items, total } = (await guest.get('/master/tasks')).json();
    const { total: onBoard } = (await guest.get(`/boards/${open.board_id}/tasks`)).json();
    expect(total).toBe(onBoard);
    expect(items.map(({ id }: FullCard) => id)).not.toContain(hidden.id);
  });

  it('can be assigned to cards of the board, and of no other', async () => {
    expect((await admins.patch(`/tasks/${card.id}`, { assignee: person.user_id })).statusCode).toBe(200);
    const hidden = await admins.card(closed.board_id);
    expect((await admins.patch(`/tasks/${hidden.id}`, { assignee: person.user_id })).statusCode).toBe(422);
  });

  it('loses access at once when removed, and their writing is kept', async () => {
    await invite('editor');
    await invite('viewer', closed.board_id);
    await guest.comment(card.id, 'I was here');
    const path = `/boards/${open.board_id}/guests/${person.user_id}`;
    expect((await admins.call('DELETE', path)).statusCode).toBe(204);
    expect((await guest.get(`/boards/${open.board_id}/tasks`)).statusCode).toBe(403);
    expect((await guest.patch(`/tasks/${card.id}`, { title: 'x' })).statusCode).toBe(403);
    expect((await guest.get(`/boards/${closed.board_id}`)).statusCode).toBe(200);
    expect((await admins.get(`/tasks/${card.id}/comments`)).json().comments).toMatchObject([
      { body: 'I was here' },
    ]);
    expect((await admins.call('DELETE', path)).statusCode).toBe(404);
  });
});

describe('GET /api/v1/board/boards/{board_id}/guests', () => {
  it('lists the guests for admins', async () => {
    const { guests, total } = (await admins.get(`/boards/${open.board_id}/guests`)).json();
    expect(guests).toHaveLength(total);
    expect(guests).toContainEqual(expect.objectContaining({ user_id: person.user_id, role: 'viewer' }));
    expect((await guest.get(`/boards/${open.board_id}/guests`)).statusCode).toBe(403);
  });
});

describe('The guests of a workspace', () => {
  it('are listed with their boards, and removed from all of them', async () => {
    await invite('editor', closed.board_id);
    const { brand_id } = workspace.brand;
    expect(await world.app.boards.listGuestBoards(brand_id, [person.user_id])).toEqual([
      { user_id: person.user_id, resource_id: open.board_id, name: 'Open', role: 'viewer' },
      { user_id: person.user_id, resource_id: closed.board_id, name: 'Closed', role: 'editor' },
    ]);
    const removed = await inTransaction(world.db, (tx) =>
      world.app.boards.removeGuest(tx, brand_id, person.user_id),
    );
    expect(removed).toBe(2);
    expect(await world.app.boards.listGuestBoards(brand_id, [person.user_id])).toEqual([]);
  });
});

describe('People that a guest may name', () => {
  const refused = 'must name people who can open this board';
  const nameIn = (field: string, userId: number, where = card.id) =>
    guest.patch(`/tasks/${where}`, { [field]: field === 'watchers' ? [userId] : userId });

  it('exclude people who do not appear on the board, so that names cannot be looked up by id', async () => {
    await invite('editor');
    const hidden = await world.member(workspace.brand);
    const elsewhere = boardCaller(world, { cookie: await world.signIn(hidden, workspace.brand) });
    await elsewhere.card(closed.board_id);
    for (const field of ['assignee', 'watchers']) {
      const answer = await nameIn(field, hidden.user_id);
      expect([answer.statusCode, answer.json()]).toEqual([422, { detail: `${field} ${refused}` }]);
      const made = await guest.call('POST', `/boards/${open.board_id}/tasks`, {
        title: 'Guess',
        [field]: field === 'watchers' ? [hidden.user_id] : hidden.user_id,
      });
      expect([made.statusCode, made.json()]).toEqual([422, { detail: `${field} ${refused}` }]);
    }
    const unknown = await nameIn('assignee', 2_000_000_000);
    expect(unknown.json()).toEqual({ detail: `assignee ${refused}` });
  });

  it('are those on its cards, in its activity, and the guest', async () => {
    await invite('editor');
    const assigned = await world.member(workspace.brand);
    const watching = await world.member(workspace.brand);
    const said = await world.member(workspace.brand);
    await admins.patch(`/tasks/${card.id}`, { assignee: assigned.user_id, watchers: [watching.user_id] });
    const caller = boardCaller(world, { cookie: await world.signIn(said, workspace.brand) });
    await caller.comment(card.id);
    const other = await admins.card(open.board_id);
    for (const { user_id } of [assigned, watching, said, workspace.admin, person])
      expect((await nameIn('assignee', user_id, other.id)).statusCode).toBe(200);
  });

  it('include, for members, all people who can open the board', async () => {
    const hidden = await world.member(workspace.brand);
    expect((await admins.patch(`/tasks/${card.id}`, { assignee: hidden.user_id })).statusCode).toBe(200);
  });
});

describe('The stored response of an Idempotency-Key', () => {
  const again = (path: string, payload: object, key: string) =>
    guest.call('POST', path, payload, { 'idempotency-key': key });
  const requests = () =>
    [
      [`/boards/${open.board_id}/tasks`, { title: 'Once' }],
      [`/tasks/${card.id}/comments`, { body: 'Once' }],
    ] as const;
  const withdraw = () => admins.call('DELETE', `/boards/${open.board_id}/guests/${person.user_id}`);

  it('is returned to a guest only while they have access', async () => {
    await invite('editor');
    await invite('viewer', (await admins.board({ name: 'Keeps the session' })).board_id);
    const answers = [];
    for (const [path, payload] of requests()) {
      const first = await again(path, payload, `key-${path}`);
      const second = await again(path, payload, `key-${path}`);
      expect([first.statusCode, second.headers['idempotent-replayed']]).toEqual([201, 'true']);
    }
    for (const change of [() => invite('viewer'), withdraw]) {
      await change();
      for (const [path, payload] of requests())
        answers.push((await again(path, payload, `key-${path}`)).statusCode);
    }
    expect(answers).toEqual([403, 403, 403, 403]);
    await invite('editor');
    for (const [path, payload] of requests())
      expect((await again(path, payload, `key-${path}`)).headers['idempotent-replayed']).toBe('true');
  });

  it('is not returned once the board or the card is gone', async () => {
    const board = await admins.board({ name: 'Goes' });
    const [first, second] = [await admins.card(board.board_id), await admins.card(board.board_id)];
    await invite('editor', board.board_id);
    const asked = [
      [`/boards/${board.board_id}/tasks`, { title: 'Once' }],
      [`/tasks/${first.id}/comments`, { body: 'Once' }],
      [`/tasks/${second.id}/comments`, { body: 'Once' }],
    ] as const;
    for (const [path, payload] of asked) expect((await again(path, payload, path)).statusCode).toBe(201);
    await admins.call('DELETE', `/tasks/${first.id}`);
    expect((await again(...asked[1], asked[1][0])).statusCode).toBe(404);
    expect((await again(...asked[2], asked[2][0])).statusCode).toBe(201);
    await admins.call('DELETE', `/boards/${board.board_id}`);
    for (const [path, payload] of asked) expect((await again(path, payload, path)).statusCode).toBe(404);
  });

  it('is not returned to a former member, now a guest, if it sets members-only fields', async () => {
    const payload = { title: 'Once', runtime: 'claude_code' };
    const path = `/boards/${open.board_id}/tasks`;
    const former = await world.member(workspace.brand);
    const asMember = { cookie: await world.signIn(former, workspace.brand) };
    const ask = (credential: Record<string, string>) =>
      world.inject({
        method: 'POST',
        url: `/api/v1/board${path}`,
        headers: { ...credential, 'idempotency-key': 'once-a-member' },
        payload,
      });
    expect((await ask(asMember)).statusCode).toBe(201);
    await world.operator('DELETE', `/brands/${workspace.brand.brand_id}/members/${former.user_id}`);
    await invite('editor', open.board_id, former.user_id);
    const asGuest = { cookie: await world.signIn(former, workspace.brand) };
    expect((await ask(asGuest)).statusCode).toBe(403);
  });
});
