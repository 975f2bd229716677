import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller } from '../boards.test-support.js';
import { namesAt } from '../cards/card-fields.js';
import type { FullCard } from '../cards/cards.schemas.js';

let world: World;
let workspace: Awaited<ReturnType<World['workspace']>>;
let ours: BoardCaller;
let ben: TestPerson;
let navigation: Board;
let garden: Board;
const cards: Record<string, FullCard> = {};

beforeAll(async () => {
  world = await startTestApp();
  await world.freeze();
  workspace = await world.workspace();
  const { brand, admin } = workspace;
  ours = boardCaller(world, workspace.bearer);
  ben = await world.member(brand);
  for (const agent_id of ['fox', 'owl'])
    await world.operator('POST', '/agents', { agent_id, name: agent_id, brand_id: brand.brand_id });
  navigation = await ours.board({ name: 'Navigation' });
  garden = await ours.board({ name: 'Garden' });
  const make = async (key: string, board: Board, fields: object) => {
    await world.advance(60);
    cards[key] = await ours.card(board.board_id, fields);
  };
  await make('a', navigation, { title: 'Plan the route', assignee: admin.user_id, priority: 'high' });
  await make('b', navigation, { title: 'Draw the map', assignee: ben.user_id, labels: ['ui', 'map'] });
  await make('c', navigation, { title: 'Route 100% of traffic', assignee_agent_id: 'fox', labels: ['api'] });
  await make('d', garden, {
    title: 'See NAV-1 and plan',
    assignee_agent_id: 'owl',
    due_at: '2026-03-01T00:00:00Z',
  });
  await make('e', garden, { title: 'Water', priority: 'low', due_at: '2026-05-01T00:00:00Z' });
});
afterAll(() => world.stop());

const found = async (query: string, caller = ours) => {
  const answer = await caller.get(`/master/tasks?${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  const { items, total } = answer.json() as { items: FullCard[]; total: number };
  const keys = items.map(({ id }) => Object.keys(cards).find((key) => cards[key]!.id === id));
  return `${keys.join('')}:${total}`;
};

describe('GET /api/v1/board/master/tasks, filters by person', () => {
  it.each([
    ['assignee=me', 'a:1'],
    ['assignee=none', 'edc:3'],
    ['assignee=me,none', 'edca:4'],
    ['agent=any', 'dc:2'],
    ['agent=none', 'eba:3'],
    ['agent=fox', 'c:1'],
    ['agent=fox,owl', 'dc:2'],
    ['agent=fox,none', 'ecba:4'],
    ['agent=any,none', 'edcba:5'],
    ['agent=nobody-of-this-name', ':0'],
    ['priority=high,low', 'ea:2'],
    ['labels=map,api', 'cb:2'],
    ['labels=map&assignee=me', ':0'],
    ['due_before=2026-04-01T00:00:00Z', 'd:1'],
    ['due_before=2026-05-01T00:00:00Z', 'd:1'],
    ['assignee=&agent=&priority=&labels=&q=', 'edcba:5'],
    ['assignee=none&limit=2', 'ed:3'],
    ['assignee=none&status=done', ':0'],
  ])('%s returns %s', async (query, expected) => {
    expect(await found(query)).toBe(expected);
  });

  it('accepts ids of people together with me and none', async () => {
    expect(await found(`assignee=me,${ben.user_id}`)).toBe('ba:2');
  });

  it.each(['assignee=ada', 'assignee=me,1.5', 'due_before=soon', 'assignee=0'])(
    'returns 400 for %s',
    async (query) => {
      expect((await ours.get(`/master/tasks?${query}`)).statusCode).toBe(400);
    },
  );

  it('continues with a cursor', async () => {
    const first = (await ours.get('/master/tasks?assignee=none&limit=2')).json();
    const rest = await found(`assignee=none&limit=2&cursor=${first.next_cursor}`);
    expect(rest).toBe('c:3');
  });
});

describe('GET /api/v1/board/master/tasks?q=', () => {
  it('finds no card of another workspace, in any order and count', async () => {
    const theirs = boardCaller(world, (await world.workspace()).bearer);
    const { board_id } = await theirs.board({ name: 'Navigation' });
    await theirs.card(board_id, { title: 'Plan the route to the archipelago' });
    for (const more of ['', '&sort=title', '&count_by=status', '&limit=1']) {
      expect(await found(`q=archipelago${more}`)).toBe(':0');
      expect((await theirs.get(`/master/tasks?q=route${more}`)).json().total).toBe(1);
    }
    expect((await ours.get('/master/tasks?q=route&count_by=status')).json().counts).toEqual([
      { value: 'pending', cards: 2 },
    ]);
  });

  it.each([
    ['q=route', 'ca:2'],
    ['q=PLAN%20the', 'a:1'],
    ['q=the%20plan', 'a:1'],
    ['q=100%25', 'c:1'],
    ['q=_', ':0'],
    ['q=plan&assignee=me', 'a:1'],
    ['q=nothing%20like%20it', ':0'],
  ])('%s finds words in titles: %s', async (query, expected) => {
    expect(await found(query)).toBe(expected);
  });

  it('finds a full ref first, then titles that contain it', async () => {
    expect(navigation.key).toBe('NAV');
    expect(await found('q=nav-1')).toBe('ad:2');
    expect(await found('q=NAV-3')).toBe('c:1');
    expect(await found('q=NAV-1&assignee=none')).toBe('d:1');
    expect(await found('q=NAV-1%20route')).toBe('a:1');
    expect(await found('q=NAV-99')).toBe(':0');
    const first = (await ours.get('/master/tasks?q=NAV-1&limit=1')).json();
    expect(first.items[0].ref).toBe('NAV-1');
    expect(await found(`q=NAV-1&limit=1&cursor=${first.next_cursor}`)).toBe('d:2');
  });

  it('shows a guest only cards on their boards', async () => {
    const person = await world.person();
    await ours.call('PUT', `/boards/${garden.board_id}/guests/${person.user_id}`, { role: 'viewer' });
    const guest = boardCaller(world, { cookie: await world.signIn(person, workspace.brand) });
    expect(await found('q=NAV-1', guest)).toBe('d:1');
    expect(await found('q=route', guest)).toBe(':0');
    expect(await found('agent=any', guest)).toBe('d:1');
  });
});

describe('The with parameter', () => {
  const shown = ['id', 'ref', 'title', 'board', 'column', 'status', 'pr_number', 'branch', 'updated_at'];

  it("adds the named fields to each item of the master tasks, with the card's values", async () => {
    const names = 'labels,assignee,board_id,version,title';
    const { items } = (await ours.get(`/master/tasks?q=map&with=${names}`)).json();
    expect(Object.keys(items[0])).toEqual([...shown, 'board_id', 'labels', 'assignee', 'version']);
    const plain = (await ours.get('/master/tasks?q=map')).json().items[0];
    expect(Object.keys(plain)).toEqual(shown);
    expect(items[0]).toMatchObject(plain);
    expect(cards['b']).toMatchObject(items[0]);
  });

  it('adds every standard field only to a summary of a board', async () => {
    const standard = namesAt('standard');
    const path = `/boards/${navigation.board_id}/tasks`;
    const { items, total } = (await ours.get(`${path}?detail=summary&with=${standard.join(',')}`)).json();
    const whole = (await ours.get(path)).json();
    expect(total).toBe(3);
    expect(items).toEqual(whole.items);
    expect(Object.keys(items[0]).slice(0, 11)).toEqual(namesAt('summary'));
    const some = (await ours.get(`${path}?detail=summary&with=priority,watchers,priority`)).json();
    expect(Object.keys(some.items[0])).toEqual([...namesAt('summary'), 'priority', 'watchers']);
    expect((await ours.get(`${path}?with=priority`)).json()).toEqual(whole);
  });

  it.each(['/master/tasks?with=colour', '/master/tasks?with=labels,instructions'])(
    'returns 400 for %s and lists the valid fields',
    async (path) => {
      const answer = await ours.get(path);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().detail).toContain('assignee_agent_id, reporter, watchers');
      const onBoard = path.replace('/master', `/boards/${navigation.board_id}`);
      expect((await ours.get(onBoard)).json()).toEqual(answer.json());
    },
  );
});
