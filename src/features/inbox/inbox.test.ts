import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../tests/support/app.js';
import { openEvents } from '../../../tests/support/events.js';
import type { Board } from '../boards/boards.schemas.js';
import { type BoardCaller, boardCaller } from '../boards/boards.test-support.js';
import type { InboxItem, InboxPage } from './inbox.schemas.js';
import { inboxStore } from './inbox.store.js';

type Headers = Record<string, string>;

let world: World;
let workspace: Awaited<ReturnType<World['workspace']>>;
let ours: BoardCaller;
let ada: TestPerson;
let ben: TestPerson;
let bens: BoardCaller;
let mine: Headers;
let board: Board;

beforeAll(async () => {
  world = await startTestApp();
  await world.freeze();
});
afterAll(() => world.stop());

beforeEach(async () => {
  workspace = await world.workspace();
  ada = workspace.admin;
  mine = { cookie: workspace.cookie };
  ours = boardCaller(world, mine);
  ben = await world.member(workspace.brand);
  bens = boardCaller(world, { cookie: await world.signIn(ben, workspace.brand) });
  board = await ours.board();
});

const call = (method: 'GET' | 'POST' | 'PATCH', path: string, payload?: object, headers = mine) =>
  world.inject({ method, url: `/api/v1/me/inbox${path}`, headers, payload });
const inbox = async (query = '', headers = mine): Promise<InboxPage> => {
  const answer = await call('GET', query, undefined, headers);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
const kinds = async (headers = mine) => (await inbox('', headers)).items.map(({ kind }) => kind);
const headersOf = async (person: TestPerson): Promise<Headers> => ({
  cookie: await world.signIn(person, workspace.brand),
});

describe('A removed person gets no more notifications', () => {
  const itemsOf = async ({ user_id }: TestPerson) =>
    (await world.db.selectFrom('inbox_items').select('kind').where('user_id', '=', user_id).execute()).map(
      ({ kind }) => kind,
    );

  it('of a workspace, in any role or by name, and their inbox is deleted', async () => {
    const theirs = await bens.card(board.board_id, { title: 'Reported' });
    const card = await ours.card(board.board_id, { assignee: ben.user_id, watchers: [ben.user_id] });
    expect(await itemsOf(ben)).toContain('assigned');
    await world.operator('DELETE', `/brands/${workspace.brand.brand_id}/members/${ben.user_id}`);
    expect(await itemsOf(ben)).toEqual([]);
    for (const { id } of [theirs, card]) {
      await ours.call('POST', `/tasks/${id}/comments`, { body: `@${ben.full_name}, are you there?` });
      await ours.call('PATCH', `/tasks/${id}`, { status: 'blocked' });
      await ours.call('PATCH', `/tasks/${id}`, { status: 'done' });
    }
    expect(await itemsOf(ben)).toEqual([]);
    await world.member(workspace.brand, { person: ben });
    expect((await inbox('', await headersOf(ben))).items).toEqual([]);
  });

  it('of a board where they were a guest', async () => {
    const guest = await world.person();
    const second = await ours.board();
    for (const { board_id } of [board, second])
      await ours.call('PUT', `/boards/${board_id}/guests/${guest.user_id}`, { role: 'editor' });
    const card = await ours.card(board.board_id, { assignee: guest.user_id, watchers: [guest.user_id] });
    const told = (await itemsOf(guest)).length;
    expect(told).toBeGreaterThan(0);
    await ours.call('DELETE', `/boards/${board.board_id}/guests/${guest.user_id}`);
    await ours.call('POST', `/tasks/${card.id}/comments`, { body: `@${guest.full_name}, still there?` });
    await ours.call('PATCH', `/tasks/${card.id}`, { status: 'blocked' });
    expect(await itemsOf(guest)).toHaveLength(told);
    await ours.call('DELETE', `/boards/${second.board_id}/guests/${guest.user_id}`);
    expect(await itemsOf(guest)).toEqual([]);
  });
});

describe('Inbox items', () => {
  it("assigned: written when a card is created or changed, but not for one's own change", async () => {
    const card = await bens.card(board.board_id, { title: 'Yours', assignee: ada.user_id });
    await ours.card(board.board_id, { assignee: ada.user_id });
    const { items, unread, total_open, next_cursor } = await inbox();
    expect({ unread, total_open, next_cursor }).toEqual({ unread: 1, total_open: 1, next_cursor: null });
    expect(items).toEqual([
      {
        item_id: expect.any(String),
        kind: 'assigned',
        at: world.clock.now().toISOString(),
        read_at: null,
        done_at: null,
        snoozed_until: null,
        actor: { user_id: ben.user_id, name: ben.full_name, agent_id: null },
        task: {
          task_id: card.id,
          ref: card.ref,
          title: 'Yours',
          status: 'pending',
          board_id: board.board_id,
        },
        build_id: null,
        excerpt: null,
      },
    ]);
    await bens.patch(`/tasks/${card.id}`, { assignee: ben.user_id });
    await bens.patch(`/tasks/${card.id}`, { assignee: ada.user_id, priority: 'high' });
    await bens.patch(`/tasks/${card.id}`, { priority: 'low' });
    expect(await kinds()).toEqual(['assigned', 'assigned']);
  });

  it('mentioned: written for a comment or instructions, by full name or mail name, once per text', async () => {
    const card = await bens.card(board.board_id, {
      instructions: `@${ada.full_name.toUpperCase()} knows. Not ada@${ada.email.split('@')[0]}.`,
    });
    expect(await kinds()).toEqual(['mentioned']);
    await bens.patch(`/tasks/${card.id}`, { instructions: `@${ada.full_name} knows more.` });
    expect(await kinds()).toEqual(['mentioned']);
    const comment = await bens.comment(card.id, `ask @${ada.email.split('@')[0]}, please`);
    expect(await kinds()).toEqual(['mentioned', 'mentioned']);
    expect((await inbox()).items.map(({ excerpt }) => excerpt)).toContain(
      `ask @${ada.email.split('@')[0]}, please`,
    );
    await bens.patch(`/tasks/${card.id}/comments/${comment.id}`, {
      body: `ask @${ada.full_name} and @${ben.full_name}`,
    });
    expect(await kinds()).toEqual(['mentioned', 'mentioned']);
    const stranger = (await world.workspace()).admin;
    await bens.comment(card.id, `@${stranger.full_name} cannot see this`);
    expect(await kinds()).toEqual(['mentioned', 'mentioned']);
  });

  it('commented: written for assignee, reporter and watchers, unless they are also mentioned', async () => {
    const watcher = await world.member(workspace.brand);
    const theirs = await headersOf(watcher);
    const card = await ours.card(board.board_id, { watchers: [watcher.user_id], assignee: ben.user_id });
    await bens.comment(card.id, `@${watcher.full_name} have a look`);
    expect(await kinds()).toEqual(['commented']);
    expect(await kinds(theirs)).toEqual(['mentioned']);
    expect((await inbox()).items[0]).toMatchObject({ excerpt: `@${watcher.full_name} have a look` });
    await world.advance(1);
    await ours.comment(card.id, 'Thanks');
    expect(await kinds(await headersOf(ben))).toEqual(['commented', 'assigned']);
  });

  it('review_asked: written for reporter and watchers of a card that moves to review', async () => {
    const card = await ours.card(board.board_id);
    await bens.patch(`/tasks/${card.id}`, { status: 'in_review' });
    await bens.patch(`/tasks/${card.id}`, { priority: 'high' });
    expect(await kinds()).toEqual(['review_asked']);
    await bens.patch(`/tasks/${card.id}`, { status: 'pending' });
    await ours.patch(`/tasks/${card.id}`, { status: 'in_review' });
    expect(await kinds()).toEqual(['review_asked']);
  });

  it('are not written when the change is refused', async () => {
    const card = await ours.card(board.board_id);
    const refused = await bens.patch(
      `/tasks/${card.id}`,
      { assignee: ada.user_id, status: 'in_review' },
      { 'if-match': '"99"' },
    );
    expect(refused.statusCode).toBe(412);
    expect(await kinds()).toEqual([]);
  });

  it('are deleted with the card', async () => {
    const card = await bens.card(board.board_id, { assignee: ada.user_id });
    await bens.call('DELETE', `/tasks/${card.id}`);
    expect(await inbox()).toEqual({
      items: [],
      unread: 0,
      total_open: 0,
      total_snoozed: 0,
      next_cursor: null,
    });
  });
});

describe('GET /api/v1/me/inbox', () => {
  it('returns pages newest first, by state', async () => {
    const titles: string[] = [];
    for (let n = 0; n < 5; n++) {
      if (n !== 2) await world.advance(60);
      titles.unshift((await bens.card(board.board_id, { title: `${n}`, assignee: ada.user_id })).title);
    }
    const read = async (query: string) => {
      const seen: InboxItem[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: InboxPage = await inbox(`?${query}${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.items);
        cursor = page.next_cursor;
      }
      return seen;
    };
    for (const limit of [1, 2, 5]) {
      const seen = await read(`limit=${limit}`);
      expect(new Set(seen.map(({ item_id }) => item_id)).size).toBe(5);
      expect(seen.map(({ at }) => at)).toEqual(
        seen
          .map(({ at }) => at)
          .toSorted()
          .toReversed(),
      );
    }
    const [newest] = (await inbox()).items;
    await call('PATCH', `/${newest!.item_id}`, { done: true });
    expect(await read('state=open')).toHaveLength(4);
    expect(await read('state=done')).toHaveLength(1);
    expect(await read('state=all&limit=3')).toHaveLength(5);
  });

  it('filters by kind, unread, board, project and person', async () => {
    const carl = await world.member(workspace.brand);
    const carls = boardCaller(world, await headersOf(carl));
    const second = await ours.board();
    const made = await world.inject({
      method: 'POST',
      url: '/api/v1/projects',
      headers: mine,
      payload: { name: 'Van' },
    });
    const { project_id } = made.json();
    const card = await bens.card(board.board_id, { assignee: ada.user_id, title: 'Bens' });
    await carls.card(second.board_id, { assignee: ada.user_id, title: 'Carls', project_id });
    await carls.comment(card.id, `@${ada.full_name}, look`);
    const titlesOf = async (query: string) =>
      (await inbox(query)).items.map(({ kind, task }) => `${kind} ${task!.title}`).toSorted();
    expect(await titlesOf('?kind=assigned')).toEqual(['assigned Bens', 'assigned Carls']);
    expect(await titlesOf(`?board_id=${board.board_id}`)).toEqual(['assigned Bens', 'mentioned Bens']);
    expect(await titlesOf(`?project_id=${project_id}`)).toEqual(['assigned Carls']);
    expect(await titlesOf(`?user_id=${carl.user_id}`)).toEqual(['assigned Carls', 'mentioned Bens']);
    const [{ item_id }] = (await inbox('?kind=mentioned')).items as [InboxItem];
    await call('PATCH', `/${item_id}`, { read: true });
    expect(await titlesOf('?unread=false')).toEqual(['mentioned Bens']);
    expect(await titlesOf(`?unread=true&user_id=${carl.user_id}`)).toEqual(['assigned Carls']);
  });

  it.each(['?kind=new', '?board_id=x', '?state=new', '?limit=0', '?limit=201', '?cursor=x'])(
    'returns 400 for %s',
    async (query) => {
      expect((await call('GET', query)).statusCode).toBe(400);
    },
  );

  it('shows a guest only items of boards that they can still open', async () => {
    const person = await world.person();
    const second = await ours.board();
    for (const { board_id } of [board, second])
      await ours.call('PUT', `/boards/${board_id}/guests/${person.user_id}`, { role: 'editor' });
    const guest = await headersOf(person);
    await ours.card(board.board_id, { assignee: person.user_id, title: 'First' });
    await ours.card(second.board_id, { assignee: person.user_id, title: 'Second' });
    expect((await inbox('', guest)).total_open).toBe(2);
    await ours.call('DELETE', `/boards/${second.board_id}/guests/${person.user_id}`);
    const { items, unread, total_open } = await inbox('', guest);
    expect(items.map(({ task }) => task!.title)).toEqual(['First']);
    expect([unread, total_open]).toEqual([1, 1]);
  });
});

describe('PATCH /api/v1/me/inbox/{item_id} and POST /api/v1/me/inbox/done', () => {
  it('finishes thousands of items at once without updating an index', async () => {
    const { id } = await bens.card(board.board_id, { assignee: ada.user_id });
    await sql`
      insert into inbox_items (item_id, brand_id, user_id, kind, task_id, board_id, created_at)
      select gen_random_uuid(), ${workspace.brand.brand_id}, ${ada.user_id}, 'commented', ${id}, ${board.board_id},
        now() - n * interval '1 second' from generate_series(1, 3000) n`.execute(world.db);
    const owner = { brandId: workspace.brand.brand_id, userId: ada.user_id, isGuest: false };
    const written = await world.db.transaction().execute(async (tx) => {
      expect(await inboxStore(tx, owner, new Date()).finish(null)).toBe(3001);
      // Counts only this transaction. A heap-only update leaves every index unchanged.
      const { rows } = await sql<{ rows: number; within: number }>`
        select n_tup_upd::int as rows, n_tup_hot_upd::int as within
        from pg_stat_xact_user_tables where relname = 'inbox_items'`.execute(tx);
      return rows[0]!;
    });
    expect(written.rows).toBe(3001);
    expect(written.within).toBeGreaterThan(2950);
  });

  it('marks an item as read and done and back, and done implies read', async () => {
    await bens.card(board.board_id, { assignee: ada.user_id });
    const [item] = (await inbox()).items;
    const now = world.clock.now().toISOString();
    const path = `/${item!.item_id}`;
    expect((await call('PATCH', path, { read: true })).json()).toEqual({ ...item, read_at: now });
    expect((await inbox()).unread).toBe(0);
    expect((await call('PATCH', path, { read: false })).json()).toEqual(item);
    expect((await call('PATCH', path, { done: true })).json()).toEqual({
      ...item,
      read_at: now,
      done_at: now,
    });
    expect((await inbox()).total_open).toBe(0);
    expect((await call('PATCH', path, { done: false })).json()).toEqual({ ...item, read_at: now });
    const done = { ...item, read_at: now, done_at: now };
    expect((await call('PATCH', path, { done: true, read: false })).json()).toEqual(done);
    expect((await call('PATCH', path, { read: false })).json()).toEqual(done);
    expect((await call('PATCH', path, { done: false, read: false })).json()).toEqual(item);
    expect((await call('PATCH', path, {})).statusCode).toBe(400);
    expect((await call('PATCH', path, { done: 1 })).statusCode).toBe(422);
  });

  it("returns 404 for other people's items", async () => {
    await bens.card(board.board_id, { assignee: ada.user_id });
    const [item] = (await inbox()).items;
    const theirs = await headersOf(ben);
    expect((await call('PATCH', `/${item!.item_id}`, { done: true }, theirs)).statusCode).toBe(404);
    expect((await call('POST', '/done', { item_ids: [item!.item_id] }, theirs)).json()).toEqual({ done: 0 });
    expect((await inbox()).unread).toBe(1);
  });

  it('finishes the named items, or all open ones', async () => {
    for (let n = 0; n < 4; n++) await bens.card(board.board_id, { assignee: ada.user_id });
    const ids = (await inbox()).items.map(({ item_id }) => item_id);
    expect((await call('POST', '/done', { item_ids: ids.slice(0, 2) })).json()).toEqual({ done: 2 });
    expect((await call('POST', '/done', { item_ids: ids.slice(0, 3) })).json()).toEqual({ done: 1 });
    expect((await call('POST', '/done', {})).json()).toEqual({ done: 1 });
    expect(await inbox()).toMatchObject({ items: [], unread: 0, total_open: 0 });
  });
});

describe('A snoozed item', () => {
  const HOUR = 3600;
  const ahead = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000).toISOString();
  const makeItems = async (count: number) => {
    for (let n = 0; n < count; n++) await bens.card(board.board_id, { assignee: ada.user_id });
    return (await inbox()).items.map(({ item_id }) => item_id);
  };
  const idsIn = async (state: string) =>
    (await inbox(`?state=${state}`)).items.map(({ item_id }) => item_id).toSorted();

  it('is hidden until its time, then returns unread, and the counts follow', async () => {
    const [first, second] = await makeItems(2);
    await call('PATCH', `/${first}`, { read: true });
    const until = ahead(HOUR);
    const snoozed = await call('PATCH', `/${first}`, { snoozed_until: until });
    expect(snoozed.json()).toMatchObject({ snoozed_until: until, done_at: null });
    expect(await inbox()).toMatchObject({ unread: 1, total_open: 1, total_snoozed: 1 });
    expect(await idsIn('open')).toEqual([second]);
    expect(await idsIn('snoozed')).toEqual([first]);
    await world.advance(HOUR);
    expect(await idsIn('snoozed')).toEqual([]);
    expect(await inbox('?unread=true')).toMatchObject({ unread: 2, total_open: 2, total_snoozed: 0 });
    const back = (await inbox()).items.find(({ item_id }) => item_id === first);
    expect(back).toMatchObject({ read_at: null, snoozed_until: null });
    await call('PATCH', `/${first}`, { read: true });
    expect(await inbox()).toMatchObject({ unread: 1, total_open: 2 });
  });

  it('returns unchanged when the snooze is removed', async () => {
    const [id] = await makeItems(1);
    const { read_at } = (await call('PATCH', `/${id}`, { read: true })).json();
    await call('PATCH', `/${id}`, { snoozed_until: ahead(HOUR) });
    const back = await call('PATCH', `/${id}`, { snoozed_until: null });
    expect(back.json()).toMatchObject({ read_at, snoozed_until: null });
    expect(await idsIn('open')).toEqual([id]);
  });

  it('reopens a done item, becomes done by id, and is not among all open items', async () => {
    const [first, second] = await makeItems(2);
    await call('PATCH', `/${first}`, { done: true });
    const reopened = await call('PATCH', `/${first}`, { snoozed_until: ahead(HOUR) });
    expect(reopened.json()).toMatchObject({ done_at: null, snoozed_until: ahead(HOUR) });
    expect((await call('POST', '/done', {})).json()).toEqual({ done: 1 });
    expect(await idsIn('snoozed')).toEqual([first]);
    expect((await call('POST', '/done', { item_ids: [first] })).json()).toEqual({ done: 1 });
    expect(await idsIn('done')).toEqual([first, second].toSorted());
    const both = await call('PATCH', `/${first}`, { done: true, snoozed_until: ahead(HOUR) });
    expect(both.json()).toMatchObject({ snoozed_until: null, done_at: expect.any(String) });
  });

  it('is refused for a time in the past or more than a year ahead', async () => {
    const [id] = await makeItems(1);
    for (const until of [ahead(0), ahead(-1), ahead(367 * 24 * HOUR)]) {
      const refused = await call('PATCH', `/${id}`, { snoozed_until: until });
      expect([refused.statusCode, refused.json().detail]).toEqual([
        422,
        'snoozed_until must be ahead, by a year at most',
      ]);
    }
  });

  it('is kept beyond 90 days until its snooze ends', async () => {
    await makeItems(1);
    const { items } = await inbox();
    await call('PATCH', `/${items[0]!.item_id}`, { snoozed_until: ahead(100 * 24 * HOUR) });
    await world.advance(99 * 24 * HOUR);
    await world.runJob('inbox-sweep');
    mine = await headersOf(ada);
    expect((await inbox()).total_snoozed).toBe(1);
  });
});

describe('The counts of an inbox', () => {
  it('match the listed items after every kind of change', async () => {
    const second = await ours.board();
    const compare = async (headers = mine) => {
      const [open, unread, snoozed] = await Promise.all(
        ['state=open', 'state=open&unread=true', 'state=snoozed'].map((query) =>
          inbox(`?limit=200&${query}`, headers),
        ),
      );
      expect([open!.total_open, open!.unread, open!.total_snoozed]).toEqual([
        open!.items.length,
        unread!.items.length,
        snoozed!.items.length,
      ]);
    };
    // More items than the buffer of count changes holds before it is merged.
    for (let n = 0; n < 55; n++)
      await bens.card((n % 2 ? board : second).board_id, { assignee: ada.user_id });
    await compare();
    const ids = (await inbox('?limit=200')).items.map(({ item_id }) => item_id);
    const ahead = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000).toISOString();
    await call('PATCH', '', { item_ids: ids.slice(0, 20), read: true });
    await call('PATCH', '', { item_ids: ids.slice(10, 15), read: false });
    await compare();
    await call('PATCH', '', { item_ids: ids.slice(5, 12), snoozed_until: ahead(60) });
    await call('PATCH', '', { item_ids: ids.slice(30, 32), snoozed_until: ahead(600) });
    await compare();
    await world.advance(61);
    await compare();
    await call('PATCH', `/${ids[5]}`, { snoozed_until: null });
    await call('POST', '/done', { item_ids: ids.slice(8, 34) });
    await call('PATCH', '', { item_ids: ids.slice(20, 24), done: false, read: false });
    await compare();
    await ours.call('DELETE', `/boards/${second.board_id}`);
    await compare();
    await call('POST', '/done', {});
    await compare();
  });
});

describe('PATCH /api/v1/me/inbox', () => {
  it("marks several as read, done or snoozed at once, and only one's own", async () => {
    for (let n = 0; n < 3; n++) await bens.card(board.board_id, { assignee: ada.user_id });
    const item_ids = (await inbox()).items.slice(0, 2).map(({ item_id }) => item_id);
    const change = (changes: object, headers = mine) => call('PATCH', '', { item_ids, ...changes }, headers);
    expect((await change({ read: true })).json()).toEqual({ changed: 2 });
    expect(await inbox()).toMatchObject({ unread: 1, total_open: 3 });
    const snoozed_until = new Date(world.clock.now().getTime() + 60_000).toISOString();
    expect((await change({ snoozed_until })).json()).toEqual({ changed: 2 });
    expect(await inbox()).toMatchObject({ total_open: 1, total_snoozed: 2 });
    expect((await change({ done: true })).json()).toEqual({ changed: 2 });
    expect((await change({ done: false, read: false })).json()).toEqual({ changed: 2 });
    expect(await inbox()).toMatchObject({ unread: 3, total_open: 3, total_snoozed: 0 });
    expect((await change({ done: true }, await headersOf(ben))).json()).toEqual({ changed: 0 });
    expect((await change({})).statusCode).toBe(400);
    expect((await call('PATCH', '', { item_ids: [], done: true })).statusCode).toBe(422);
    expect((await inbox()).total_open).toBe(3);
  });
});

describe('GET /api/v1/me/inbox/stream', () => {
  let url: string;
  beforeAll(async () => {
    url = await world.server.listen({ port: 0, host: '127.0.0.1' });
  });

  it('sends the unread count at once and after every change, and ends with the session', async () => {
    const stream = await openEvents(`${url}/api/v1/me/inbox/stream`, mine);
    const unread = async () => ((await stream.next())!.data as { unread: number }).unread;
    expect(await unread()).toBe(0);
    await bens.card(board.board_id, { assignee: ada.user_id });
    expect(await unread()).toBe(1);
    await call('POST', '/done', {});
    expect(await unread()).toBe(0);
    await world.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: mine });
    expect(await stream.next()).toBeUndefined();
  });

  it('sends an update when the time of a snooze has passed', async () => {
    await bens.card(board.board_id, { assignee: ada.user_id });
    const [item] = (await inbox()).items;
    // Frozen, so that the snooze cannot end before the stream is open.
    await world.operator('POST', '/clock', { freeze: true });
    const soon = new Date(world.clock.now().getTime() + 200);
    await call('PATCH', `/${item!.item_id}`, { snoozed_until: soon.toISOString() });
    const stream = await openEvents(`${url}/api/v1/me/inbox/stream`, mine);
    expect((await stream.next())!.data).toEqual({ unread: 0 });
    await world.advance(1);
    // The snooze itself may cause one more event first.
    let told = await stream.next();
    while ((told!.data as { unread: number }).unread === 0) told = await stream.next();
    expect(told!.data).toEqual({ unread: 1 });
    stream.close();
    await world.operator('POST', '/clock', { freeze: false });
  });
});

describe('Retention of an inbox', () => {
  const rowsOf = (userId: number) =>
    world.db.selectFrom('inbox_items').select('item_id').where('user_id', '=', userId).execute();

  it('deletes items after 90 days', async () => {
    await bens.card(board.board_id, { assignee: ada.user_id, title: 'Old' });
    await world.advance(60 * 24 * 3600);
    mine = await headersOf(ada);
    bens = boardCaller(world, await headersOf(ben));
    await bens.card(board.board_id, { assignee: ada.user_id, title: 'New' });
    await world.runJob('inbox-sweep');
    expect(await rowsOf(ada.user_id)).toHaveLength(2);
    await world.advance(31 * 24 * 3600);
    await world.runJob('inbox-sweep');
    expect(await rowsOf(ada.user_id)).toHaveLength(1);
  });

  it('deletes items when their owner leaves, and the personal data export contains them', async () => {
    await ours.card(board.board_id, { assignee: ben.user_id });
    const headers = await headersOf(ben);
    const exported = await world.inject({ method: 'GET', url: '/api/v1/me/export', headers });
    expect(exported.json().inbox).toMatchObject([{ kind: 'assigned', brand_id: workspace.brand.brand_id }]);
    await world.operator('DELETE', `/brands/${workspace.brand.brand_id}/members/${ben.user_id}`);
    expect(await rowsOf(ben.user_id)).toEqual([]);
  });
});
