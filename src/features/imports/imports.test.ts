import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import type { Board } from '../boards/boards.schemas.js';
import { type BoardCaller, boardCaller, type Headers, MISSING } from '../boards/boards.test-support.js';
import type { FullCard } from '../boards/cards/cards.schemas.js';
import type { Import, ImportRowList } from './imports.schemas.js';

let world: World;
let workspace: Awaited<ReturnType<World['workspace']>>;
let strangers: Awaited<ReturnType<World['workspace']>>;
let ours: BoardCaller;
let board: Board;

beforeAll(async () => {
  world = await startTestApp();
  workspace = await world.workspace();
  strangers = await world.workspace();
  ours = boardCaller(world, workspace.bearer);
});
afterAll(() => world.stop());
beforeEach(async () => {
  board = await ours.board();
});

const form = (bytes: string | Buffer, name = 'export.csv'): Buffer =>
  Buffer.concat([
    Buffer.from(`--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n--edge--\r\n'),
  ]);

const send = (source: string, text: string | Buffer, headers: Headers = {}, boardId = board.board_id) =>
  world.inject({
    method: 'POST',
    url: `/api/v1/board/boards/${boardId}/imports?source=${source}`,
    headers: { ...workspace.bearer, 'content-type': 'multipart/form-data; boundary=edge', ...headers },
    payload: form(text),
  });

async function read(source: string, text: string, headers?: Headers): Promise<Import> {
  const answer = await send(source, text, headers);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}

const start = (importId: string, mapping: object = {}, users: object = {}) =>
  ours.call('POST', `/imports/${importId}/start`, { mapping, users });
const rowsOf = async (importId: string, query = ''): Promise<ImportRowList> =>
  (await ours.get(`/imports/${importId}/rows${query}`)).json();
const shown = async (importId: string): Promise<Import> => (await ours.get(`/imports/${importId}`)).json();

async function finish(importId: string, mapping?: object, users?: object): Promise<Import> {
  const answer = await start(importId, mapping, users);
  expect(answer.statusCode, answer.body).toBe(202);
  await world.app.jobs.runNow('card-import');
  const done = await shown(importId);
  expect(done).toMatchObject({ status: 'done' });
  return done;
}

async function cards(): Promise<FullCard[]> {
  const { items } = (await ours.get(`/boards/${board.board_id}/tasks?detail=full&per_page=500`)).json();
  return items;
}
const cardCalled = async (title: string): Promise<FullCard> => {
  const found = (await cards()).find((card) => card.title === title);
  if (!found) throw new Error(`No card is called ${title}`);
  return found;
};

const TABLE = 'id,title,status,labels\nA-1,One,Backlog,a\nA-2,Two,Doing,b\nA-3,,Doing,\n';

/** Runs `work` while a database trigger rejects cards that match the condition. */
async function failAt(condition: string, code: string, work: () => Promise<unknown>): Promise<void> {
  const { pool } = world.database;
  await pool.query(`
    create function refuse_card() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = '${code}'; end $$;
    create trigger refused before insert on cards for each row when (${condition}) execute function refuse_card()`);
  try {
    await work();
  } finally {
    await pool.query('drop trigger refused on cards; drop function refuse_card()');
  }
}

describe('Import', () => {
  it('first reports what it would create and what it cannot read, without creating anything', async () => {
    const found = await read('csv', TABLE);
    expect(found).toMatchObject({
      status: 'ready',
      source: 'csv',
      name: 'export.csv',
      counts: { new: 2, known: 0, unreadable: 1, made: 0 },
      states: [
        { name: 'Backlog', cards: 1, to: 'Backlog' },
        { name: 'Doing', cards: 1, to: 'in_progress' },
      ],
    });
    const { rows, next_cursor } = await rowsOf(found.import_id);
    expect(rows).toMatchObject([
      { row: 2, status: 'new', title: 'One', state: 'Backlog', reason: null },
      { row: 3, status: 'new', title: 'Two' },
      { row: 4, status: 'unreadable', title: null, reason: 'It has no title' },
    ]);
    expect(next_cursor).toBeNull();
    expect(await cards()).toEqual([]);
  });

  it('lists its rows by status and page by page', async () => {
    const { import_id } = await read('csv', TABLE);
    expect((await rowsOf(import_id, '?status=unreadable')).rows).toHaveLength(1);
    const first = await rowsOf(import_id, '?limit=2');
    expect(first.rows.map(({ row }) => row)).toEqual([2, 3]);
    const second = await rowsOf(import_id, `?limit=2&cursor=${first.next_cursor}`);
    expect(second.rows.map(({ row }) => row)).toEqual([4]);
    expect(second.next_cursor).toBeNull();
    expect((await ours.get(`/imports/${import_id}/rows?cursor=nonsense`)).statusCode).toBe(400);
  });

  it('creates each card once when it is started twice or the same file is uploaded again', async () => {
    const { import_id } = await read('csv', TABLE);
    await finish(import_id);
    expect((await shown(import_id)).counts).toEqual({ new: 2, known: 0, unreadable: 1, made: 2 });
    expect((await start(import_id)).statusCode).toBe(409);
    const again = await read('csv', TABLE);
    expect(again.counts).toEqual({ new: 0, known: 2, unreadable: 1, made: 0 });
    await finish(again.import_id);
    expect(await cards()).toHaveLength(2);
  });

  it('creates no duplicates when the file is uploaded twice before the start', async () => {
    const [one, other] = [await read('csv', TABLE), await read('csv', TABLE)];
    await finish(one.import_id);
    await finish(other.import_id);
    expect((await shown(other.import_id)).counts).toEqual({ new: 0, known: 2, unreadable: 1, made: 0 });
    expect(await cards()).toHaveLength(2);
  });

  it('recognizes an existing card by its address, regardless of its creator', async () => {
    await ours.card(board.board_id, { title: 'Mine', external_url: 'https://x.example/1' });
    const found = await read('csv', 'title,url\nTheirs,https://x.example/1\nOther,https://x.example/2\n');
    expect(found.counts).toMatchObject({ new: 1, known: 1 });
  });

  it('does not create a deleted card again', async () => {
    const { import_id } = await read('csv', 'id,title\n1,One\n');
    await finish(import_id);
    await ours.call('DELETE', `/tasks/${(await cardCalled('One')).id}`);
    expect((await read('csv', 'id,title\n1,One\n')).counts).toMatchObject({ new: 0, known: 1 });
  });

  it('requires a target for unknown states and accepts a column or a status', async () => {
    const found = await read('csv', 'title,status\nOne,Simmering\nTwo,Parked\nThree,Nowhere\n');
    expect(found.states.map(({ name, to }) => [name, to])).toEqual(
      expect.arrayContaining([
        ['Simmering', null],
        ['Parked', null],
      ]),
    );
    const refused = await start(found.import_id, { simmering: 'In Progress' });
    expect(refused.statusCode).toBe(422);
    expect(refused.json().detail).toMatchObject({ states: ['Nowhere', 'Parked'] });
    expect((await start(found.import_id, { Simmering: 'No such column' })).statusCode).toBe(422);
    await finish(found.import_id, { simmering: 'in progress', Parked: 'blocked', Nowhere: 'canceled' });
    expect(await cardCalled('One')).toMatchObject({ status: 'in_progress', column: { name: 'In Progress' } });
    expect(await cardCalled('Two')).toMatchObject({ status: 'blocked' });
    expect(await cardCalled('Three')).toMatchObject({ status: 'canceled' });
  });

  it('requires a target for states named like properties of Object.prototype', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const found = await read('csv', `title,status\n${names.map((name) => `Of ${name},${name}\n`).join('')}`);
    expect(found.states.map(({ name, to }) => [name, to]).sort()).toEqual(names.map((name) => [name, null]));
    await finish(found.import_id, Object.fromEntries(names.map((name) => [name.toUpperCase(), 'blocked'])));
    for (const name of names) expect(await cardCalled(`Of ${name}`)).toMatchObject({ status: 'blocked' });
  });

  it('imports labels, dates, priorities, estimates, addresses and times', async () => {
    const { import_id } = await read(
      'csv',
      'title,description,labels,priority,due,estimate,url,created,completed,status\n' +
        'One,Text,"a,b",High,2030-01-02,3,https://x.example/1,2024-05-06,2024-06-07,Done\n',
    );
    await finish(import_id);
    expect(await cardCalled('One')).toMatchObject({
      instructions: 'Text',
      description_excerpt: 'Text',
      labels: ['a', 'b'],
      priority: 'high',
      due_at: '2030-01-02T00:00:00.000Z',
      estimate_points: 3,
      external_url: 'https://x.example/1',
      source: 'csv',
      status: 'done',
      created_at: '2024-05-06T00:00:00.000Z',
      completed_at: '2024-06-07T00:00:00.000Z',
      version: 1,
    });
  });

  it('links parents regardless of the row order, including parents from an earlier file', async () => {
    const { import_id } = await read(
      'csv',
      'id,title,parent\n3,Grandchild,2\n2,Child,1\n1,Parent,\n9,Circle,8\n8,Back,9\n',
    );
    await finish(import_id);
    const [parent, child] = [await cardCalled('Parent'), await cardCalled('Child')];
    expect(child.parent_id).toBe(parent.id);
    expect((await cardCalled('Grandchild')).parent_id).toBe(child.id);
    expect(parent.parent_id).toBeNull();
    const circle = [(await cardCalled('Circle')).parent_id, (await cardCalled('Back')).parent_id];
    expect(circle.filter((id) => id === null)).toHaveLength(1);
    const later = await read('csv', 'id,title,parent\n4,Late child,1\n');
    await finish(later.import_id);
    expect((await cardCalled('Late child')).parent_id).toBe(parent.id);
  });

  it('imports blockers, and names blockers that are not imported in the card text', async () => {
    const first = await read('csv', 'id,title,blocked by\n1,One,"2, 9"\n2,Two,\n3,Three,1\n');
    expect(first.lost).toEqual([
      { what: 'Links to items that are not imported: named in the text', cards: 1 },
    ]);
    await finish(first.import_id);
    const [one, two, three] = [await cardCalled('One'), await cardCalled('Two'), await cardCalled('Three')];
    expect(one).toMatchObject({ blocked_by: [two.id], instructions: '_From a file (1): blocked by 9._' });
    expect(three.blocked_by).toEqual([one.id]);
    const later = await read('csv', 'id,title,parent,blocked by\n4,Four,3,1\n5,Five,77,\n');
    expect(later.lost).toMatchObject([{ cards: 1 }]);
    await finish(later.import_id);
    expect(await cardCalled('Four')).toMatchObject({ parent_id: three.id, blocked_by: [one.id] });
    expect(await cardCalled('Five')).toMatchObject({
      parent_id: null,
      instructions: '_From a file (5): below 77._',
    });
  });

  it('puts canceled cards into the Done column, not into the backlog', async () => {
    const { import_id } = await read('jira', "Summary,Status,Resolution\nOne,Done,Won't Do\nTwo,Canceled,\n");
    await finish(import_id);
    for (const title of ['One', 'Two'])
      expect(await cardCalled(title)).toMatchObject({ status: 'canceled', column: { name: 'Done' } });
  });

  it('lists the data it would lose and the number of affected cards', async () => {
    const { import_id, lost } = await read('csv', 'title,Mood,Team\nOne,good,Blue\nTwo,bad,\nThree,,\n');
    expect(lost).toEqual([
      { what: 'Column Mood', cards: 2 },
      { what: 'Column Team', cards: 1 },
    ]);
    expect((await shown(import_id)).lost).toEqual(lost);
  });

  it('maps a login without an email address to a chosen person', async () => {
    const [mate, other] = [await world.member(workspace.brand), await world.member(workspace.brand)];
    const issue = {
      number: 1,
      title: 'Whose',
      state: 'open',
      user: { login: 'Octocat' },
      assignees: [{ login: 'hubot' }, { login: 'monalisa' }, { login: 'ghost' }],
      comments: [{ author: { login: 'hubot' }, body: 'Mine', createdAt: '2024-01-02T03:04:05Z' }],
    };
    const found = await read('github', JSON.stringify([issue]));
    expect(found.people.unmatched.toSorted()).toEqual(['Octocat', 'ghost', 'hubot', 'monalisa']);
    const users = { octocat: mate.email, HUBOT: mate.email.toUpperCase(), monalisa: other.email };
    for (const [wrong, words] of [
      [{ nobody: mate.email }, 'The import names no person nobody'],
      [{ hubot: 'gone@else.example' }, 'No person who can open this board has the address gone@else.example'],
    ] as const) {
      const refused = await start(found.import_id, {}, wrong);
      expect([refused.statusCode, refused.json().detail]).toEqual([422, words]);
    }
    await finish(found.import_id, {}, users);
    const card = await cardCalled('Whose');
    expect(card).toMatchObject({
      assignee: { user_id: mate.user_id },
      reporter: { user_id: mate.user_id },
      watchers: [{ user_id: other.user_id }],
      instructions: '_From GitHub (1): also assigned to ghost._',
    });
    const { comments } = (await ours.get(`/tasks/${card.id}/comments`)).json();
    expect(comments).toMatchObject([{ author: { user_id: mate.user_id }, body: 'Mine' }]);
  });

  it('matches people by email and names unmatched authors in the text', async () => {
    const mate = await world.member(workspace.brand);
    const issue = {
      key: 'S-1',
      fields: {
        summary: 'Known people',
        assignee: { displayName: 'Mate', emailAddress: mate.email.toUpperCase() },
        reporter: { displayName: 'Gone *Person*', emailAddress: 'gone@else.example' },
        comment: {
          comments: [
            {
              author: { displayName: 'Mate', emailAddress: mate.email },
              body: 'Mine',
              created: '2024-01-02T03:04:05.000+0000',
            },
            { author: { displayName: 'Nobody' }, body: 'Theirs', created: '2024-01-03T03:04:05.000+0000' },
          ],
        },
      },
    };
    const found = await read('jira', JSON.stringify({ issues: [issue] }));
    expect(found.people.matched).toMatchObject([{ user_id: mate.user_id, email: mate.email.toLowerCase() }]);
    expect(found.people.unmatched.toSorted()).toEqual(['Gone *Person*', 'Nobody']);
    await finish(found.import_id);
    const card = await cardCalled('Known people');
    expect(card).toMatchObject({ assignee: { user_id: mate.user_id }, comment_count: 2 });
    expect(card.instructions).toContain('reported by Gone \\*Person\\*');
    const { comments } = (await ours.get(`/tasks/${card.id}/comments`)).json();
    expect(comments).toMatchObject([
      { author: { user_id: mate.user_id }, body: 'Mine', created_at: '2024-01-02T03:04:05.000Z' },
      {
        author: { user_id: workspace.admin.user_id },
        body: '**Nobody** wrote on 2024-01-03 03:04 UTC:\n\nTheirs',
      },
    ]);
  });

  it('creates comments in the name of others only when an admin starts it', async () => {
    const mate = await world.member(workspace.brand);
    const token = await world.token(workspace.brand, mate);
    const bearer = { authorization: `Bearer ${token}` };
    const author = { displayName: 'Boss', emailAddress: workspace.admin.email };
    const comment = { comments: [{ author, body: 'Do it', created: '2024-01-02T03:04:05.000+0000' }] };
    const issue = { key: 'S-2', fields: { summary: 'Forged', comment } };
    const { import_id } = await read('jira', JSON.stringify([issue]), bearer);
    const begun = await boardCaller(world, bearer).call('POST', `/imports/${import_id}/start`, {});
    expect(begun.statusCode).toBe(202);
    await world.app.jobs.runNow('card-import');
    const { comments } = (await ours.get(`/tasks/${(await cardCalled('Forged')).id}/comments`)).json();
    expect(comments).toMatchObject([
      { author: { user_id: mate.user_id }, body: expect.stringMatching(/^\*\*Boss\*\* wrote/) },
    ]);
  });

  it('adds every card to the feed without creating inbox items', async () => {
    const mate = await world.member(workspace.brand);
    const { import_id } = await read('csv', `title,assignee\nOne,${mate.email}\nTwo,${mate.email}\n`);
    await finish(import_id);
    const { items } = (await ours.get(`/activity/boards/${board.board_id}`)).json();
    const made = items.filter(({ action }: { action: string }) => action === 'task.created');
    expect(made).toHaveLength(2);
    expect(made[0]).toMatchObject({
      actor: { user_id: workspace.admin.user_id },
      ref: expect.stringMatching(/-2$/),
    });
    const bearer = { authorization: `Bearer ${await world.token(workspace.brand, mate)}` };
    const inbox = await world.inject({ method: 'GET', url: '/api/v1/me/inbox', headers: bearer });
    expect(inbox.json().items).toEqual([]);
  });

  it('resumes where it stopped', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => `${index},Card ${index}`).join('\n');
    const { import_id } = await read('csv', `id,title\n${rows}\n`);
    await start(import_id);
    await failAt(`new.title = 'Card 300'`, 'P0001', async () => {
      await world.app.jobs.runNow('card-import');
      expect(await shown(import_id)).toMatchObject({ status: 'running', counts: { new: 450, made: 200 } });
    });
    await Promise.all([world.app.jobs.runNow('card-import'), world.app.jobs.runNow('card-import')]);
    expect(await shown(import_id)).toMatchObject({ status: 'done', counts: { new: 450, made: 450 } });
    const { total } = (await ours.get(`/boards/${board.board_id}/tasks?per_page=1`)).json();
    expect(total).toBe(450);
  });

  it('marks a card that the database rejects as unreadable and creates the others', async () => {
    const { import_id } = await read('csv', 'title\nOne\nPoison\nTwo\n');
    await failAt(`new.title = 'Poison'`, '22000', () => finish(import_id));
    expect((await shown(import_id)).counts).toEqual({ new: 2, known: 0, unreadable: 1, made: 2 });
    expect((await rowsOf(import_id, '?status=unreadable')).rows).toMatchObject([{ row: 3, title: 'Poison' }]);
  });

  it('returns 422 when nothing in the file can be read', async () => {
    for (const [source, text, words] of [
      ['github', 'not json', 'neither JSON'],
      ['csv', '', 'empty'],
      ['csv', 'a,b\n1,2\n', 'no column for the title'],
      ['trello', '{}', 'no cards'],
    ] as const) {
      const answer = await send(source, text);
      expect(answer.statusCode).toBe(422);
      expect(JSON.stringify(answer.json().detail)).toContain(words);
    }
    expect((await send('excel', TABLE)).statusCode).toBe(422);
    const many = Array.from({ length: 201 }, (_, index) => `t,state ${index}`).join('\n');
    expect((await send('csv', `title,status\n${many}\n`)).json().detail).toContain(
      'more than 200 different states',
    );
  });

  it('returns 413 for a file of more than 50 MiB', async () => {
    const answer = await send('csv', Buffer.alloc(50 * 1024 * 1024 + 1, 'a'));
    expect(answer.statusCode).toBe(413);
  });

  it('deletes its rows with it and keeps the cards', async () => {
    const { import_id } = await read('csv', 'id,title\n1,One\n');
    await finish(import_id);
    expect((await ours.call('DELETE', `/imports/${import_id}`)).statusCode).toBe(204);
    expect((await ours.get(`/imports/${import_id}`)).statusCode).toBe(404);
    expect(await cards()).toHaveLength(1);
    expect((await read('csv', 'id,title\n1,One\n')).counts.known).toBe(1);
  });

  it('returns 404 for an import of another workspace and 403 for an upload to its board', async () => {
    const { import_id } = await read('csv', TABLE);
    const theirs = boardCaller(world, strangers.bearer);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/rows'],
      ['POST', '/start'],
      ['DELETE', ''],
    ] as const)
      expect(
        (await theirs.call(method, `/imports/${import_id}${path}`, method === 'POST' ? {} : undefined))
          .statusCode,
      ).toBe(404);
    expect((await send('csv', TABLE, strangers.bearer)).statusCode).toBe(403);
    expect((await send('csv', TABLE, {}, MISSING)).statusCode).toBe(404);
  });

  it('fails when the person who started it has left, and resumes when another person starts it', async () => {
    const mate = await world.member(workspace.brand);
    const bearer = { authorization: `Bearer ${await world.token(workspace.brand, mate)}` };
    const { import_id } = await read('csv', 'id,title\n1,One\n', bearer);
    await boardCaller(world, bearer).call('POST', `/imports/${import_id}/start`, {});
    await world.database.pool.query('update memberships set active = false where user_id = $1', [
      mate.user_id,
    ]);
    await world.app.jobs.runNow('card-import');
    expect(await shown(import_id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('left the workspace'),
    });
    await finish(import_id);
    expect(await cards()).toHaveLength(1);
  });
});

/** Cards that share one checklist: a small file whose content is repeated in every card. */
const sharedChecklist = (cards: number, items: number): string =>
  JSON.stringify({
    lists: [],
    checklists: [
      {
        idCard: '5f0c1b2a0000000000000001',
        name: 'All of it',
        checkItems: Array.from({ length: items }, (_, index) => ({
          name: `Item ${index}`,
          state: 'complete',
        })),
      },
    ],
    cards: Array.from({ length: cards }, () => ({ id: '5f0c1b2a0000000000000001', name: 'a' })),
  });

describe('Imports of several workspaces at once', () => {
  const theirBoard = async () => (await boardCaller(world, strangers.bearer).board()).board_id;

  it('returns 422 before writing anything when a small file expands to more than 128 MiB of text', async () => {
    const { pool } = world.database;
    const count = async () => (await pool.query('select count(*) from card_import_rows')).rows[0].count;
    const before = await count();
    const refused = await send('trello', sharedChecklist(100_000, 500));
    expect([refused.statusCode, refused.json().detail]).toEqual([
      422,
      'The cards of the file would hold more than 128 MiB of text; divide it, or leave out what they share',
    ]);
    expect(await count()).toBe(before);
  });

  it('reads a small file before the third large file of another workspace', async () => {
    const place = await theirBoard();
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    const large = sharedChecklist(4000, 300);
    const readings = [1, 2, 3, 4].map((each) => send('trello', large).then(note(`large ${each}`)));
    const { pool } = world.database;
    const waiting = "select from card_imports where status = 'reading' and board_id = $1";
    await expect.poll(async () => (await pool.query(waiting, [board.board_id])).rowCount).toBe(4);
    const small = send('csv', 'title\nOne\n', strangers.bearer, place).then(note('small'));
    await Promise.all([...readings, small]);
    expect(ended.indexOf('small')).toBeLessThan(ended.indexOf('large 3'));
  });

  it('creates the cards of a small import before finishing a second large import', async () => {
    const { pool } = world.database;
    const rows = Array.from({ length: 600 }, (_, index) => `Card ${index}`).join('\n');
    const large = [await read('csv', `title\n${rows}\n`), await read('csv', `title,id\n${rows}\n`)];
    const place = await theirBoard();
    const small = (await send('csv', 'title\nOne\n', strangers.bearer, place)).json<Import>();
    await pool.query(`
      create table ended (place serial, import_id uuid);
      create function note_end() returns trigger language plpgsql as
        $$ begin insert into ended (import_id) values (new.import_id); return null; end $$;
      create trigger ended after update on card_imports for each row
        when (old.status = 'running' and new.status = 'done') execute function note_end()`);
    for (const { import_id } of large) await start(import_id);
    await boardCaller(world, strangers.bearer).call('POST', `/imports/${small.import_id}/start`, {});
    expect(await world.app.jobs.runNow('card-import')).toEqual({ processed: 601, failed: 0 });
    const { rows: ended } = await pool.query('select import_id from ended order by place');
    expect(ended).toHaveLength(3);
    expect(ended[0]).toEqual({ import_id: small.import_id });
  });
});
