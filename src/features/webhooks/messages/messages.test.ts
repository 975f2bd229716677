import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DeskWorld, startDeskWorld } from '../../../../tests/desk-end-to-end/desk-world.js';
import type { World } from '../../../../tests/support/app.js';
import { CodeWorld } from '../../../../tests/support/code-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { hireWorld } from '../../../../tests/support/hires.js';
import { anchors } from '../../../../tests/support/lesson-caller.js';
import { type Workspace, webhookCaller } from '../../../../tests/support/webhooks.js';
import { silentLog } from '../../../kernel/log.js';
import { Notifications } from '../../../platform/events/notifications.js';
import { DELIVERIES_CHANNEL } from './outbox.js';

const URL = 'https://93.184.216.34/hook';

interface Told {
  type: string;
  timestamp: string;
  data: Record<string, unknown> & { entry?: Record<string, unknown> };
}

let world: DeskWorld;
let home: Workspace;
let deaf: Workspace;

beforeAll(async () => {
  world = await startDeskWorld();
  home = await world.workspace({ plan: 'enterprise' });
  deaf = await world.workspace({ plan: 'enterprise' });
  await webhookCaller(world, home).create(URL, ['*']);
});

afterAll(() => world.stop());

const send = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
  headers: Record<string, string> = home.bearer,
) => world.inject({ method, url, headers, payload });

/** Returns the messages that `work` wrote, oldest first. */
async function toldBy(
  work: () => Promise<unknown>,
  { db } = world as Pick<DeskWorld, 'db'>,
): Promise<Told[]> {
  await db.deleteFrom('webhook_messages').execute();
  await work();
  const rows = await db.selectFrom('webhook_messages').selectAll().orderBy(sql`xmin::text::bigint`).execute();
  for (const row of rows) expect(JSON.parse(row.body).type).toBe(row.type);
  return rows.map(({ body }) => JSON.parse(body));
}

const typesOf = (told: Told[]) => told.map(({ type }) => type);

describe('Dispatcher notification', () => {
  const makeBoard = (by: Workspace) => async () =>
    (await send('POST', '/api/v1/board/boards', { name: 'Called' }, by.bearer)).json().board_id;

  /** Counts how often `work` woke the dispatcher. */
  async function callsFor(work: () => Promise<unknown>): Promise<number> {
    let calls = 0;
    const boards: unknown[] = [];
    const ear = new Notifications({ connection: world.database.connection, log: silentLog });
    ear.subscribe(DELIVERIES_CHANNEL, () => {
      calls += 1;
    });
    ear.subscribe('guildhall_board_activity', (boardId) => void boards.push(boardId));
    await ear.start();
    await work();
    // Notifications arrive in order, so this later one marks the end.
    const last = await makeBoard(deaf)();
    await expect.poll(() => boards).toContain(last);
    await ear.stop();
    return calls;
  }

  it('is sent after the commit', async () => {
    expect(await callsFor(makeBoard(home))).toBe(1);
  });

  it('is not sent when no webhook is subscribed', async () => {
    const person = await world.person();
    const join = () =>
      world.operator('PUT', `/brands/${deaf.brand.brand_id}/members/${person.user_id}`, { role: 'member' });
    for (const work of [makeBoard(deaf), join]) expect(await callsFor(work)).toBe(0);
  });
});

describe('Board events', () => {
  it('include every feed entry as the feed shows it', async () => {
    let boardId = '';
    let cardId = '';
    const told = await toldBy(async () => {
      const board = (await send('POST', '/api/v1/board/boards', { name: 'Work' })).json();
      boardId = board.board_id;
      await send('PATCH', `/api/v1/board/boards/${boardId}`, { name: 'Works' });
      const card = await send('POST', `/api/v1/board/boards/${boardId}/tasks`, { title: 'Card' });
      cardId = card.json().id;
      const place = `/api/v1/board/tasks/${cardId}`;
      await send('PATCH', place, { title: 'Renamed' });
      await send('PATCH', place, { instructions: 'Do it <b>well</b>', labels: ['a'] });
      await send('PATCH', place, { title: 'Renamed' });
      await send('PATCH', place, { column: 'Review' });
      const comment = (await send('POST', `${place}/comments`, { body: 'Said' })).json();
      await send('PATCH', `${place}/comments/${comment.id}`, { body: 'Said better' });
      await send('DELETE', place);
    });
    expect(typesOf(told)).toEqual([
      'board.created',
      'board.updated',
      'task.created',
      'task.updated',
      'task.updated',
      'task.moved',
      'task.commented',
      'task.commented',
      'task.deleted',
    ]);
    const { items } = (await send('GET', `/api/v1/board/activity/boards/${boardId}?limit=50`)).json();
    expect(told.map(({ data }) => data.entry)).toEqual(items.reverse());
    for (const { type, timestamp, data } of told) {
      expect(data.board_id).toBe(boardId);
      expect(data.entry!.created_at).toBe(timestamp);
      if (type.startsWith('task.')) expect([data.task_id, data.ref]).toEqual([cardId, data.entry!.ref]);
      else expect('task_id' in data).toBe(false);
    }
  });

  it('include a deleted board and each of its cards', async () => {
    const board = (await send('POST', '/api/v1/board/boards', { name: 'Going' })).json();
    const place = `/api/v1/board/boards/${board.board_id}`;
    const cards: { id: string; ref: string; title: string }[] = [];
    for (const title of ['One', 'Two', 'Three'])
      cards.push((await send('POST', `${place}/tasks`, { title, column: 'Review' })).json());
    const told = await toldBy(() => send('DELETE', place));
    const { user_id, full_name: name } = home.admin;
    const ofCards = told.filter(({ type }) => type === 'task.deleted');
    expect(ofCards.map(({ data }) => data).toSorted((a, b) => (a.ref! < b.ref! ? -1 : 1))).toEqual(
      cards.map(({ id, ref, title }) => ({
        board_id: board.board_id,
        task_id: id,
        ref,
        entry: {
          id: expect.any(String),
          action: 'task.deleted',
          created_at: ofCards[0]!.timestamp,
          task_id: id,
          ref,
          actor: { user_id, name, agent_id: null },
          changes: {
            title: { from: title, to: null },
            status: { from: 'in_review', to: null },
            column: { from: 'Review', to: null },
          },
        },
      })),
    );
    expect(new Set(ofCards.map(({ data }) => data.entry!['id'])).size).toBe(3);
    const ofBoard = told.filter(({ type }) => type !== 'task.deleted');
    expect(ofBoard).toMatchObject([
      {
        type: 'board.updated',
        data: {
          board_id: board.board_id,
          entry: { task_id: null, ref: null, changes: { deleted: { from: false, to: true } } },
        },
      },
    ]);
  });

  itDeeply('are written in batches of at most 1,000 for a large deleted board', async () => {
    const board = (await send('POST', '/api/v1/board/boards', { name: 'Large' })).json();
    await send('POST', `/api/v1/board/boards/${board.board_id}/tasks`, { title: 'First of many' });
    await sql`
      insert into cards select other.* from cards k, generate_series(2, 2500) n,
        jsonb_populate_record(k, jsonb_build_object('card_id', gen_random_uuid(), 'number', n)) other
      where k.board_id = ${board.board_id}`.execute(world.db);
    const statements: number[] = [];
    await sql`create table told_at_once (cards int)`.execute(world.db);
    await sql`
      create function note_told() returns trigger language plpgsql as $$
      begin insert into told_at_once select count(*) from told where type = 'task.deleted'; return null; end $$`.execute(
      world.db,
    );
    await sql`
      create trigger note_told after insert on webhook_messages
      referencing new table as told for each statement execute function note_told()`.execute(world.db);
    try {
      const told = await toldBy(() => send('DELETE', `/api/v1/board/boards/${board.board_id}`));
      expect(told.filter(({ type }) => type === 'task.deleted')).toHaveLength(2500);
      const { rows } = await sql<{ cards: number }>`select cards from told_at_once`.execute(world.db);
      statements.push(...rows.map(({ cards }) => cards).filter((cards) => cards > 0));
    } finally {
      await sql`drop trigger note_told on webhook_messages`.execute(world.db);
      await sql`drop function note_told()`.execute(world.db);
      await sql`drop table told_at_once`.execute(world.db);
    }
    expect(Math.max(...statements)).toBeLessThanOrEqual(1000);
    expect(statements.length).toBeLessThan(10);
  });

  it('are not stored in a workspace without webhooks', async () => {
    const make = async () => {
      const board = (await send('POST', '/api/v1/board/boards', { name: 'Work' }, deaf.bearer)).json();
      const card = await send(
        'POST',
        `/api/v1/board/boards/${board.board_id}/tasks`,
        { title: 'Card' },
        deaf.bearer,
      );
      await send('PATCH', `/api/v1/board/tasks/${card.json().id}`, { title: 'Renamed' }, deaf.bearer);
    };
    expect(await toldBy(make)).toEqual([]);
  });

  it('are not stored when the write is rolled back', async () => {
    const board = (await send('POST', '/api/v1/board/boards', { name: 'Broken' })).json();
    await sql`alter table idempotency_keys add constraint nothing_kept check (key <> 'broken')`.execute(
      world.db,
    );
    const told = await toldBy(async () => {
      const refused = await send(
        'POST',
        `/api/v1/board/boards/${board.board_id}/tasks`,
        { title: 'Never' },
        { ...home.bearer, 'idempotency-key': 'broken' },
      );
      expect(refused.statusCode).toBe(500);
    });
    await sql`alter table idempotency_keys drop constraint nothing_kept`.execute(world.db);
    expect(told).toEqual([]);
    expect(await world.db.selectFrom('webhook_deliveries').selectAll().execute()).toEqual([]);
  });

  it('reach each subscribed webhook once, and no other workspace', async () => {
    const mine = await world.workspace({ plan: 'enterprise' });
    const hooks = webhookCaller(world, mine);
    const all = await hooks.create(URL, ['*', 'board.created']);
    const some = await hooks.create(URL, ['task.created', 'board.created']);
    const other = await hooks.create(URL, ['task.created']);
    await send('POST', '/api/v1/board/boards', { name: 'Work' }, mine.bearer);
    await send('POST', '/api/v1/board/boards', { name: 'Elsewhere' });
    const events = async ({ webhook_id }: { webhook_id: string }) =>
      (await hooks.deliveries(webhook_id)).deliveries.map(({ event }) => event);
    expect(await events(all)).toEqual(['board.created']);
    expect(await events(some)).toEqual(['board.created']);
    expect(await events(other)).toEqual([]);
  });

  it('do not fail when a webhook is removed at the same moment', async () => {
    const mine = await world.workspace({ plan: 'enterprise' });
    const hooks = webhookCaller(world, mine);
    for (let n = 0; n < 10; n += 1) {
      const { webhook_id } = await hooks.create(URL);
      const answers = await Promise.all([
        send('POST', '/api/v1/board/boards', { name: 'One' }, mine.bearer),
        hooks.send('DELETE', `/${webhook_id}`),
        send('POST', '/api/v1/board/boards', { name: 'Two' }, mine.bearer),
      ]);
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 204, 201]);
    }
  });
});

describe('desk.ready and desk.unreachable', () => {
  it('are sent once for each change of the desk', async () => {
    let workstation = '';
    const told = await toldBy(async () => {
      const { desk, fake } = await world.readyDesk(home);
      workstation = desk.workstation_id;
      await world.poll();
      fake.answer = (_request, response) => response.writeHead(500).end();
      for (let n = 0; n < 4; n += 1) await world.poll();
      fake.answer = undefined;
      await world.poll();
    });
    expect(typesOf(told)).toEqual(['desk.ready', 'desk.unreachable', 'desk.ready']);
    expect(told[1]!.data).toMatchObject({ workstation_id: workstation, env_id: workstation });
  });
});

describe('hire.active and hire.canceled', () => {
  it('contain the hire and its agent', async () => {
    const hires = hireWorld(world as unknown as World);
    const { profile_id } = await hires.employee();
    let hireId = '';
    const told = await toldBy(async () => {
      hireId = (await hires.hire(home.cookie, profile_id)).json().hire_id;
      await world.runJob('hire-provision');
      await send('POST', `/api/v1/employees/hires/${hireId}/cancel`, {}, { cookie: home.cookie });
    });
    expect(typesOf(told)).toEqual(['hire.active', 'hire.canceled']);
    const { agent_id } = await hires.record(home.cookie, hireId);
    for (const { data } of told) expect(data).toMatchObject({ hire_id: hireId, profile_id, agent_id });
    const now = await toldBy(() =>
      send('POST', `/api/v1/employees/hires/${hireId}/cancel-immediate`, {}, { cookie: home.cookie }),
    );
    expect(typesOf(now)).toEqual(['hire.canceled']);
  });
});

describe('memory.created', () => {
  it('is sent for memories that are written and for memories learned from a conversation', async () => {
    let id = '';
    const told = await toldBy(async () => {
      const written = await send('POST', '/api/v1/memory/memories', {
        agent_id: 'webhook-scout',
        kind: 'fact',
        title: 'Gates are green',
        body: 'b',
      });
      id = written.json().id;
      await send('PATCH', `/api/v1/memory/memories/${id}`, { title: 'Gates are blue' });
    });
    expect(told.map(({ type, data }) => [type, data])).toEqual([
      [
        'memory.created',
        { memory_id: id, agent_id: 'webhook-scout', kind: 'fact', title: 'Gates are green' },
      ],
    ]);
    // The first call created the agent, this one finds it.
    const another = await toldBy(() =>
      send('POST', '/api/v1/memory/memories', {
        agent_id: 'webhook-scout',
        kind: 'fact',
        title: 'Gates are open',
        body: 'b',
      }),
    );
    expect(another.map(({ type, data }) => [type, data['title']])).toEqual([
      ['memory.created', 'Gates are open'],
    ]);
    const learned = await toldBy(async () => {
      await send('POST', '/api/v1/memory/conversations', {
        agent_id: 'webhook-scout',
        source_type: 'claude_code',
        external_id: 'one',
        messages: [
          {
            role: 'user',
            content: 'Remember: we always deploy on Fridays, never on Mondays.',
            at: '2026-01-01T00:00:00Z',
          },
        ],
      });
      await world.runJob('memory-pickup');
    });
    const rows = await world.db
      .selectFrom('memories')
      .select('memory_id')
      .where('agent_id', '=', 'webhook-scout')
      .where('conversation_id', 'is not', null)
      .execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(learned.map(({ data }) => data.memory_id).sort()).toEqual(
      rows.map(({ memory_id }) => memory_id).sort(),
    );
  });

  it('is not sent when the agent belongs to another workspace', async () => {
    const told = await toldBy(async () => {
      const memory = { agent_id: 'webhook-scout', kind: 'fact', title: 'Mine', body: 'b' };
      await webhookCaller(world, deaf).create(URL);
      expect((await send('POST', '/api/v1/memory/memories', memory, deaf.bearer)).statusCode).toBe(403);
    });
    expect(told).toEqual([]);
  });
});

describe('member.joined and member.left', () => {
  it('are sent for members, but not for guests or a change of role', async () => {
    const person = await world.person();
    const told = await toldBy(async () => {
      await world.member(home.brand, { person });
      await world.member(home.brand, { person, role: 'admin' });
      await send('DELETE', `/api/v1/brands/${home.brand.brand_id}/members/${person.user_id}`);
      const board = (await send('POST', '/api/v1/board/boards', { name: 'Open' })).json();
      const place = `/api/v1/board/boards/${board.board_id}/guests/${person.user_id}`;
      await send('PUT', place, { role: 'viewer' });
      await send('DELETE', place);
    });
    expect(
      told.filter(({ type }) => type.startsWith('member.')).map(({ type, data }) => [type, data]),
    ).toEqual([
      ['member.joined', { user_id: person.user_id, role: 'member' }],
      ['member.left', { user_id: person.user_id, role: 'admin' }],
    ]);
  });
});

describe('lesson.stale', () => {
  it('is sent once when the code of a lesson was removed', async () => {
    const code = await CodeWorld.start();
    try {
      await webhookCaller(code.world, code.workspace).create(URL, ['lesson.stale']);
      const project = await code.project({
        'a.ts': 'export function f() { return 1; }\n',
        'lessons/i/f.md': anchors('a.ts#f'),
      });
      let commit = '';
      const told = await toldBy(async () => {
        commit = await project.save({ 'a.ts': 'export const other = 1;\n' });
        await project.save({ 'b.ts': 'export const more = 1;\n' });
      }, code.world);
      expect(told.map(({ type, data }) => [type, data])).toEqual([
        [
          'lesson.stale',
          {
            project_id: project.id,
            lesson_id: 'i/f',
            path: 'lessons/i/f.md',
            stale_reason: `code removed in ${commit}`,
          },
        ],
      ]);
    } finally {
      await code.stop();
    }
  });
});
