import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../tests/support/app.js';
import { lesson } from '../../../tests/support/code-world.js';
import { type BoardCaller, boardCaller, type Headers } from '../boards/boards.test-support.js';
import type { SearchAnswer, SearchHit, SearchKind } from './search.routes.js';

let world: World;
let home: Awaited<ReturnType<World['workspace']>>;
let ours: BoardCaller;
let guest: TestPerson;
let guestCookie: string;
const boards: Record<string, string> = {};
const cards: Record<string, string> = {};

/** Creates one item of every kind with the same word in it. */
async function furnish(workspace: typeof home, word: string): Promise<void> {
  const { brand, bearer } = workspace;
  const make = async (url: string, payload: object) => {
    const answer = await world.inject({ method: 'POST', url: `/api/v1${url}`, headers: bearer, payload });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer.json();
  };
  const { board_id } = await make('/board/boards', { name: `${word} board` });
  const { id } = await make(`/board/boards/${board_id}/tasks`, { title: `Plan the ${word}` });
  const person = await world.person({ full_name: `Ada ${word}` });
  await world.member(brand, { person });
  const agent_id = `${word}-${brand.brand_id}`;
  await make('/memory/memories', { agent_id, kind: 'fact', title: `About ${word}`, body: 'Known.' });
  const { project_id } = await make('/projects', { name: `${word} engine` });
  await make('/memory/entries:sync', {
    project_id,
    files: [
      { path: `lessons/area/${word}.md`, content: lesson(`title: Mind the ${word}\nanchors: ["src/a.ts"]`) },
    ],
  });
  await sql`
    insert into builds (build_id, brand_id, task_id, ref, project_id, attempt, coder, wall_minutes, branch, base_branch, base_sha,
      queued_at, finished_at, outcome, result)
    values (gen_random_uuid(), ${brand.brand_id}, ${id}, 'ZEP-1', ${project_id}, 1, 'claude', 30, 'b', 'main', ${'0'.repeat(40)},
      ${world.clock.now()}, ${world.clock.now()}, 'succeeded', ${`Tuned the ${word} at last.`})`.execute(
    world.db,
  );
}

beforeAll(async () => {
  world = await startTestApp({ env: { EMBEDDER: 'none' } });
  await world.freeze();
  home = await world.workspace({ plan: 'enterprise' });
  await furnish(home, 'zephyr');
  await furnish(await world.workspace({ plan: 'enterprise' }), 'zephyr');
  ours = boardCaller(world, home.bearer);
  const board = async (key: string, fields: object) => {
    boards[key] = (await ours.board(fields)).board_id;
  };
  const card = async (key: string, boardId: string, fields: object) => {
    await world.advance(60);
    cards[key] = (await ours.card(boardId, fields)).id;
  };
  await board('pb', { name: 'Product Build' });
  await board('nav', { name: 'Navigation' });
  await card('login', boards['pb']!, {
    title: 'Login times out',
    instructions: `${'Long before. '.repeat(40)}The café session of invoiceWriter expires${' and goes on'.repeat(40)}`,
  });
  await card('map', boards['nav']!, { title: 'Draw the map', instructions: 'After the login is there.' });
  await card('talk', boards['nav']!, { title: 'Talk', result: 'Settled.' });
  await ours.comment(cards['talk']!, 'Whoever logs in meets a heffalump, says PB-1');
  guest = await world.person({ full_name: 'Gustav Heffalump' });
  await ours.call('PUT', `/boards/${boards['nav']}/guests/${guest.user_id}`, { role: 'viewer' });
  guestCookie = await world.signIn(guest, home.brand);
});
afterAll(() => world.stop());

const ask = (query: string, headers: Headers = home.bearer) =>
  world.inject({ url: `/api/v1/search?${query}`, headers });

async function search(q: string, headers?: Headers, more = ''): Promise<SearchAnswer> {
  const answer = await ask(`q=${encodeURIComponent(q)}${more}`, headers);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

const hitsOf = async (kind: SearchKind, q: string, headers?: Headers): Promise<SearchHit[]> =>
  (await search(q, headers, `&kinds=${kind}`)).groups[0]?.hits ?? [];

/** Translates the ids of the found cards to their names in this file. */
const foundCards = async (q: string, headers?: Headers) =>
  (await hitsOf('card', q, headers)).map(({ id }) => Object.keys(cards).find((key) => cards[key] === id));

const marked = ({ snippet, marks }: SearchHit) => marks.map(({ from, to }) => snippet.slice(from, to));

describe('GET /api/v1/search', () => {
  it('returns groups of every kind, and each hit has what a page needs to link to it', async () => {
    const { groups, searched, late } = await search('zephyr');
    expect(groups.map(({ kind }) => kind)).toEqual(searched);
    expect(searched).toEqual(['card', 'board', 'person', 'agent', 'memory', 'lesson', 'build', 'project']);
    expect(late).toEqual([]);
    for (const { hits, more } of groups) {
      expect(hits).toHaveLength(1);
      expect(more).toBe(false);
      expect(marked(hits[0]!).map((word) => word.toLowerCase())).toContain('zephyr');
    }
    const [card, board, person, agent, memory, found, build, project] = groups.map(({ hits }) => hits[0]!);
    expect(card).toMatchObject({
      title: 'Plan the zephyr',
      ref: 'ZB-1',
      field: 'title',
      within: 'zephyr board',
    });
    expect(card!.board_id).toBe(board!.id);
    expect(person).toMatchObject({ title: 'Ada zephyr', status: 'member' });
    expect(memory).toMatchObject({ agent_id: agent!.agent_id, title: 'About zephyr' });
    expect(found).toMatchObject({
      title: 'Mind the zephyr',
      project_id: project!.id,
      within: 'zephyr engine',
      path: 'lessons/area/zephyr.md',
    });
    expect(build).toMatchObject({ ref: 'ZEP-1', task_id: card!.id, status: 'succeeded', field: 'result' });
  });

  it('limits the result to kinds, and reports whether there are more hits than the limit', async () => {
    const { groups, searched } = await search('the', undefined, '&kinds=memory,card&limit=1');
    expect(searched).toEqual(['card', 'memory']);
    expect(groups.map(({ kind, hits, more }) => [kind, hits.length, more])).toEqual([['card', 1, true]]);
  });

  it.each([
    '',
    'q=',
    `q=${'x'.repeat(201)}`,
    'q=a&kinds=rumour',
    'q=a&kinds=',
    'q=a&limit=0',
    'q=a&limit=51',
    'q=%00',
  ])('returns 422 for %s', async (query) => {
    expect((await ask(query)).statusCode).toBe(422);
  });

  it('returns 401 without a credential', async () => {
    expect((await ask('q=zephyr', {})).statusCode).toBe(401);
  });
});

describe('Matching words', () => {
  it.each([
    ['log', ['login', 'map', 'talk']],
    ['LOGIN', ['login', 'map']],
    ['login time', ['login']],
    ['time login', ['login']],
    ['cafe', ['login']],
    ['CAFÉ', ['login']],
    ['writer', ['login']],
    ['invoicewr', ['login']],
    ['heffalump', ['talk']],
    ['settled', ['talk']],
    ['login heffalump', []],
    ['ogin', []],
  ])('%s finds %s', async (q, expected) => {
    expect((await foundCards(q)).sort()).toEqual(expected);
  });

  it('lists matches in the title before those in the text, each newest first', async () => {
    expect(await foundCards('login')).toEqual(['login', 'map']);
    const { board_id } = await ours.board({ name: 'Order' });
    for (const title of ['Umbrella one', 'Umbrella two']) {
      await world.advance(60);
      await ours.card(board_id, { title });
    }
    await world.advance(60);
    await ours.card(board_id, { title: 'Rain', instructions: 'Take an umbrella.' });
    const titles = (await hitsOf('card', 'umbrella')).map(({ title }) => title);
    expect(titles).toEqual(['Umbrella two', 'Umbrella one', 'Rain']);
  });

  it.each([1, 2, 3, 4])('orders memories the same way, even with a limit of %i', async (limit) => {
    const agent_id = `order-${limit}-${home.brand.brand_id}`;
    for (const [title, body] of [
      [`Galoshes${limit} one`, 'Dry.'],
      [`Galoshes${limit} two`, 'Dry.'],
      ['Rain', `Wear galoshes${limit}.`],
    ] as const) {
      await world.advance(60);
      await world.inject({
        method: 'POST',
        url: '/api/v1/memory/memories',
        headers: home.bearer,
        payload: { agent_id, kind: 'fact', title, body },
      });
    }
    const [group] = (await search(`galoshes${limit}`, undefined, `&kinds=memory&limit=${limit}`)).groups;
    const all = [`Galoshes${limit} two`, `Galoshes${limit} one`, 'Rain'];
    expect(group!.hits.map(({ title }) => title)).toEqual(all.slice(0, limit));
    expect(group!.more).toBe(limit < 3);
  });

  it('returns the matching place on one line, with the words marked', async () => {
    const [hit] = await hitsOf('card', 'session of inv');
    expect(hit).toMatchObject({ field: 'instructions', title: 'Login times out' });
    expect(hit!.snippet).toMatch(/^….*The café session of invoiceWriter expires.*…$/);
    expect(hit!.snippet.length).toBeLessThan(170);
    expect(marked(hit!)).toEqual(['session', 'of', 'inv']);
    expect(marked((await hitsOf('card', 'cafe'))[0]!)).toEqual(['café']);
    expect(marked((await hitsOf('card', 'writer'))[0]!)).toEqual(['Writer']);
  });

  it.each([
    ['GRÖSSE & Café', 'grosse cafe'],
    ['HARBOUR Lights', 'lights harbour'],
    ['İzmir quay', 'izmir'],
    ['Гавань', 'гавань'],
    ['Ｗｉｄｅ berth', 'wide'],
    ['camelCaseMole', 'mole'],
    ['50% off_shore', '50 shore'],
  ])('finds a board called %j with %j', async (name, asked) => {
    const { board_id } = await ours.board({ name });
    expect((await hitsOf('board', asked)).map(({ id }) => id)).toEqual([board_id]);
    expect(await hitsOf('board', `${asked} elsewhere`)).toEqual([]);
  });

  it.each([
    ['Zoë Ångström', 'zoe angstrom'],
    ['Ян Ким', 'ким'],
    ['Bo Li', 'li bo'],
    ['Quentin FERRYMAN', 'ferry quen'],
  ])('finds a member and a guest called %j with %j', async (full_name, asked) => {
    const member = await world.member(home.brand, { person: await world.person({ full_name }) });
    const visitor = await world.person({ full_name });
    await ours.call('PUT', `/boards/${boards['nav']}/guests/${visitor.user_id}`, { role: 'viewer' });
    await world.member((await world.workspace()).brand, { person: await world.person({ full_name }) });
    const found = await hitsOf('person', asked, { cookie: home.cookie });
    expect(found.map(({ id, status }) => [Number(id), status]).sort()).toEqual(
      [
        [member.user_id, 'member'],
        [visitor.user_id, 'guest'],
      ].sort(),
    );
  });

  it('names the author of a matching comment', async () => {
    const [hit] = await hitsOf('card', 'heffalump');
    const { full_name } = home.admin as unknown as { full_name: string };
    expect(hit).toMatchObject({ field: 'comment', by: full_name, comment_id: expect.any(String) });
  });

  it('reflects changes, deletions and erasures', async () => {
    const { board_id } = await ours.board({ name: 'Changing' });
    const { id } = await ours.card(board_id, { title: 'Quokka', instructions: 'wombat' });
    const comment = await ours.comment(id, 'numbat');
    const there = async () =>
      (await Promise.all(['quokka', 'wombat', 'numbat', 'bilby'].map((q) => hitsOf('card', q)))).map(
        ({ length }) => length,
      );
    expect(await there()).toEqual([1, 1, 1, 0]);
    await ours.patch(`/tasks/${id}`, { title: 'Bilby' });
    expect(await there()).toEqual([0, 1, 1, 1]);
    await ours.patch(`/tasks/${id}`, { instructions: null });
    expect(await there()).toEqual([0, 0, 1, 1]);
    await ours.patch(`/tasks/${id}/comments/${comment.id}`, { body: 'quokka' });
    expect(await there()).toEqual([1, 0, 0, 1]);
    expect((await ours.call('DELETE', `/tasks/${id}/comments/${comment.id}`)).statusCode).toBeLessThan(300);
    expect(await there()).toEqual([0, 0, 0, 1]);
    await ours.call('DELETE', `/tasks/${id}`);
    expect(await there()).toEqual([0, 0, 0, 0]);
  });

  it('finds the newest of many matches, and a rare word among common ones', async () => {
    const { board_id } = await ours.board({ name: 'Crowd' });
    await ours.card(board_id, { title: 'Crowded pelican' });
    await sql`
      insert into cards select copy.* from cards k cross join generate_series(2, 1500) n
      cross join lateral jsonb_populate_record(k, jsonb_build_object('card_id', gen_random_uuid(), 'number', n,
        'title', 'Crowded ' || case when n = 700 then 'albatross' else 'sparrow' end,
        'updated_at', k.updated_at + make_interval(secs => case when n = 800 then 9000 else n end))) copy
      where k.board_id = ${board_id}`.execute(world.db);
    expect((await hitsOf('card', 'crowded'))[0]!.ref).toBe('CRO-800');
    expect((await hitsOf('card', 'crowded alba')).map(({ ref }) => ref)).toEqual(['CRO-700']);
    const person = await world.person();
    await ours.call('PUT', `/boards/${boards['pb']}/guests/${person.user_id}`, { role: 'viewer' });
    await ours.card(boards['pb']!, { title: 'Crowded here too' });
    const cookie = await world.signIn(person, home.brand);
    expect((await hitsOf('card', 'crowded', { cookie })).map(({ title }) => title)).toEqual([
      'Crowded here too',
    ]);
  });
});

describe('Searching for a card by its ref or number', () => {
  it.each(['PB-1', 'pb-1', 'pb 1', 'PB 1', ' PB - 1 ', 'pb #1'])('%s returns it first', async (q) => {
    const hits = await hitsOf('card', q);
    expect([hits[0]!.ref, hits[0]!.id, hits[0]!.board_id]).toEqual(['PB-1', cards['login'], boards['pb']]);
  });

  it('lists texts that mention it after the card', async () => {
    expect(await foundCards('PB-1')).toEqual(['login', 'talk']);
  });

  it.each(['2', '#2'])('%s finds that number on every board', async (q) => {
    expect((await hitsOf('card', q)).map(({ ref }) => ref)).toContain('NAV-2');
    expect((await hitsOf('card', '2')).every(({ ref }) => ref!.endsWith('-2'))).toBe(true);
  });

  it('finds nothing for an invalid number, or on a board that the guest cannot open', async () => {
    expect(await hitsOf('card', 'NAV-999999999')).toEqual([]);
    expect(await hitsOf('card', 'NAV-99999999999999')).toEqual([]);
    const cookie = { cookie: guestCookie };
    expect((await hitsOf('card', 'NAV-1', cookie)).map(({ ref }) => ref)).toEqual(['NAV-1']);
    expect(await foundCards('PB-1', cookie)).toEqual(['talk']);
  });
});

describe('Search permissions', () => {
  const ALL = ['card', 'board', 'person', 'agent', 'memory', 'lesson', 'build', 'project'];

  it.each([
    ['brand:read', ['card', 'board', 'person', 'build', 'project']],
    ['memory:read', ['card', 'board', 'agent', 'memory', 'lesson', 'build', 'project']],
    ['code:read', ['card', 'board', 'build', 'project']],
  ] as const)('a token with only %s finds the kinds that it can list', async (scope, expected) => {
    const token = await world.token(home.brand, home.admin, [scope]);
    const { groups, searched } = await search('zephyr', { authorization: `Bearer ${token}` });
    // A token with code:read can list projects.
    const kinds = scope === 'code:read' ? expected : expected.filter((kind) => kind !== 'project');
    expect(searched).toEqual(kinds);
    expect(groups.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('a member finds all kinds except guests, and an admin also finds guests', async () => {
    const member = await world.member(home.brand);
    const cookie = await world.signIn(member, home.brand);
    expect((await search('zephyr', { cookie })).groups.map(({ kind }) => kind)).toEqual(ALL);
    expect(await hitsOf('person', 'gustav', { cookie })).toEqual([]);
    const found = await hitsOf('person', 'gustav', { cookie: home.cookie });
    expect(found).toMatchObject([{ id: String(guest.user_id), title: 'Gustav Heffalump', status: 'guest' }]);
    const email = await hitsOf('person', guest.email.split('@')[0]!, { cookie: home.cookie });
    expect(email[0]).toMatchObject({ field: 'email', snippet: guest.email });
  });

  it('a guest finds only content of the boards they were invited to', async () => {
    const cookie = { cookie: guestCookie };
    const { groups, searched } = await search('zephyr', cookie);
    expect([groups, searched]).toEqual([[], ['card', 'board']]);
    expect((await foundCards('login', cookie)).sort()).toEqual(['map']);
    expect(await foundCards('times', cookie)).toEqual([]);
    expect((await hitsOf('board', 'nav', cookie)).map(({ ref }) => ref)).toEqual(['NAV']);
    expect(await hitsOf('board', 'product', cookie)).toEqual([]);
  });

  it('a person finds nothing of another workspace', async () => {
    const stranger = await world.workspace({ plan: 'enterprise' });
    const { groups, searched } = await search('zephyr', stranger.bearer);
    expect([groups, searched]).toEqual([[], ALL]);
    for (const q of ['PB-1', 'login', '1', 'heffalump'])
      expect((await search(q, stranger.bearer)).groups).toEqual([]);
  });

  it('boards of a feature that is switched off are left out', async () => {
    const { board_id } = await ours.board({ name: 'Deals', board_type: 'crm' });
    await ours.card(board_id, { title: 'Narwhal order' });
    const there = async () => [
      (await hitsOf('card', 'narwhal')).length,
      (await hitsOf('board', 'deals')).length,
      (await hitsOf('card', 'DEA-1')).length,
    ];
    expect(await there()).toEqual([1, 1, 1]);
    const url = `/api/v1/brands/${home.brand.brand_id}/features/crm`;
    const off = await world.inject({ method: 'PUT', url, headers: home.bearer, payload: { on: false } });
    expect(off.statusCode, off.body).toBe(200);
    expect(await there()).toEqual([0, 0, 0]);
  });
});

describe('Unusual search text', () => {
  it.each([
    "it's",
    '"',
    "'",
    "a' & b:*",
    ':*',
    '!login',
    'login | map',
    '<->',
    '\\',
    "\\'",
    '%',
    '_',
    '...',
    '🎉',
    '🎉 login',
    'مرحبا',
    'שלום login',
    '‮login',
    '漢字',
    'ﬁsh',
    'İstanbul',
    'x'.repeat(200),
    'a '.repeat(100),
    '🎉'.repeat(100),
    '\u0301',
    '1'.repeat(200),
    '-1',
    'a\tb\nc',
    '1.5.2',
    'http://a.b/c?d=e#f',
  ])('gets a response: %j', async (q) => {
    await search(q);
  });

  it('is refused when it is not text or too long', async () => {
    for (const query of ['q=a%00b', `q=${'a'.repeat(10_000)}`])
      expect((await ask(query)).statusCode).toBe(422);
  });

  it('is found as it was written, in any script', async () => {
    const { board_id } = await ours.board({ name: 'Scripts' });
    await ours.card(board_id, {
      title: 'مرحبا بالعالم',
      instructions: 'Größe—und “Anführung” 👩‍💻🎉flag ole\u0301 漢字',
    });
    for (const q of ['مرحبا', 'grosse', 'Größe', 'anfuhr', 'und', '🎉flag', 'flag', 'olé', '漢字'])
      expect([q, (await hitsOf('card', q)).length]).toEqual([q, 1]);
  });

  it('can be stored in a card', async () => {
    const { board_id } = await ours.board({ name: 'Hostile' });
    const nasty = [
      `'\\:*&|! ${'w'.repeat(1000)} ${'v'.repeat(5000)}`,
      'a b '.repeat(50_000),
      '🎉'.repeat(3000),
      "' | '",
    ];
    for (const instructions of nasty) await ours.card(board_id, { title: 'Odd', instructions });
    expect((await hitsOf('card', 'odd')).length).toBe(4);
    expect((await hitsOf('card', 'w'.repeat(200))).length).toBe(1);
  });
});
