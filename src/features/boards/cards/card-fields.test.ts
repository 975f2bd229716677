import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { thingsOf } from '../../../../tests/support/card-things.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller } from '../boards.test-support.js';
import { columnOf, FIELD_NAMES, fieldOf } from './card-fields.js';
import type { FullCard, Receipt } from './cards.schemas.js';
import { assertFieldsAreKept, listKeptColumns } from './field-check.store.js';

/** The list from the contract, verbatim. The first 65 fields are `standard`, all of them `full`. */
const CONTRACT =
  `id, ref, number, board_id, board, brand_id, project_id, title, task_type, status, column, position,
priority, labels, assignee, assignee_agent_id, reporter, watchers, parent_id, child_ids, blocked_by, blocks,
description_excerpt, due_at, start_at, estimate_points, estimate_minutes, time_spent_minutes, agent_context,
environment_id, runtime, hire_id, attempt, max_attempts, queued_at, claimed_at, started_at, completed_at,
last_heartbeat_at, progress_percent, branch, base_branch, commit_sha, pr_number, pr_url, pr_state, checks_state,
review_state, merged_at, deploy_url, cost_usd, tokens_in, tokens_out, error_code, error_message, comment_count,
attachment_count, checklist_done, checklist_total, source, external_url, archived, created_at, updated_at, version,
instructions, result`.split(/,\s+/);
const SUMMARY =
  `id, ref, title, status, column, assignee, branch, pr_number, pr_url, pr_state, checks_state`.split(', ');

const NOT_CHANGEABLE =
  `id, ref, number, board_id, board, brand_id, child_ids, blocks, description_excerpt, queued_at,
claimed_at, started_at, completed_at, last_heartbeat_at, comment_count, attachment_count, created_at, updated_at,
version`.split(/,\s+/);

/** A changeable field: two values as the API shows them, and the value after setting null. */
interface Sample {
  first: unknown;
  second: unknown;
  cleared: unknown;
}

let world: World;
let ours: BoardCaller;
let board: Board;
let samples: Record<string, Sample>;

beforeAll(async () => {
  world = await startTestApp();
  const workspace = await world.workspace();
  ours = boardCaller(world, workspace.bearer);
  board = await ours.board();
  samples = await makeSamples(workspace);
});
afterAll(() => world.stop());

async function makeSamples(workspace: Awaited<ReturnType<World['workspace']>>) {
  const { user_id, full_name } = await world.member(workspace.brand);
  const member = { user_id, name: full_name };
  const admin = { user_id: workspace.admin.user_id, name: workspace.admin.full_name };
  const one = await ours.card(board.board_id);
  const two = await ours.card(board.board_id);
  const things = thingsOf(world, workspace);
  const twoOf = async (make: () => Promise<string>): Promise<Sample> => ({
    first: await make(),
    second: await make(),
    cleared: null,
  });
  const texts = (cleared: unknown = null): Sample => ({ first: 'one', second: 'two', cleared });
  const counts = (cleared: unknown): Sample => ({ first: 7, second: 8, cleared });
  const times: Sample = {
    first: '2027-01-01T00:00:00.000Z',
    second: '2028-02-02T02:02:02.000Z',
    cleared: null,
  };
  const addresses: Sample = { first: 'https://a.example/1', second: 'http://b.example/2', cleared: null };
  return {
    project_id: await twoOf(things.project),
    title: { first: 'one', second: 'two', cleared: undefined },
    task_type: { first: 'docs', second: 'test', cleared: 'coding' },
    status: { first: 'in_review', second: 'blocked', cleared: undefined },
    column: {
      first: { id: board.columns[2]!.id, name: 'Review' },
      second: { id: board.columns[4]!.id, name: 'Done' },
      cleared: undefined,
    },
    position: { first: 2.5, second: -1, cleared: 'number' },
    priority: texts('normal'),
    labels: { first: ['a', 'b'], second: ['c'], cleared: [] },
    assignee: { first: admin, second: member, cleared: null },
    assignee_agent_id: await twoOf(things.agent),
    reporter: { first: member, second: admin, cleared: null },
    watchers: { first: [admin], second: [member, admin], cleared: [] },
    parent_id: { first: one.id, second: two.id, cleared: null },
    blocked_by: { first: [one.id], second: [two.id], cleared: [] },
    due_at: times,
    start_at: times,
    estimate_points: { first: 1.5, second: 2.5, cleared: null },
    estimate_minutes: counts(null),
    time_spent_minutes: counts(0),
    agent_context: { first: { profile: 'claude.hard' }, second: { notes: [1, null] }, cleared: {} },
    environment_id: await twoOf(things.environment),
    runtime: texts(),
    hire_id: await twoOf(things.hire),
    attempt: counts(0),
    max_attempts: counts(3),
    progress_percent: { first: 12.5, second: 100, cleared: null },
    branch: texts(),
    base_branch: texts(),
    commit_sha: texts(),
    pr_number: counts(null),
    pr_url: addresses,
    pr_state: texts(),
    checks_state: texts(),
    review_state: texts(),
    merged_at: times,
    deploy_url: addresses,
    cost_usd: { first: 0.125, second: 3, cleared: 0 },
    tokens_in: { first: 9_007_199_254_740_991, second: 1, cleared: 0 },
    tokens_out: { first: 9_007_199_254_740_991, second: 1, cleared: 0 },
    error_code: texts(),
    error_message: texts(),
    checklist_done: counts(0),
    checklist_total: counts(0),
    source: texts(),
    external_url: addresses,
    archived: { first: false, second: true, cleared: false },
    instructions: texts(),
    result: texts(),
  } satisfies Record<string, Sample>;
}

const read = async (cardId: string): Promise<Record<string, unknown>> =>
  (await ours.get(`/tasks/${cardId}`)).json();
const receipt = async (cardId: string, payload: object): Promise<Receipt> =>
  (await ours.patch(`/tasks/${cardId}?return=receipt`, payload)).json();
/** The value in a receipt: a column by its name, everything else in full. */
const told = (name: string, value: unknown) => (name === 'column' ? (value as { name: string }).name : value);

describe('The fields of a card', () => {
  it('match the contract exactly, in its order, at every level', async () => {
    const card = await ours.card(board.board_id);
    const list = async (detail: string) =>
      Object.keys(
        (await ours.get(`/boards/${board.board_id}/tasks?detail=${detail}&per_page=1`)).json().items[0],
      );
    expect(Object.keys(card)).toEqual(CONTRACT);
    expect(await list('full')).toEqual(CONTRACT);
    expect(await list('standard')).toEqual(
      CONTRACT.filter((name) => !['instructions', 'result'].includes(name)),
    );
    expect(await list('summary')).toEqual(SUMMARY);
    expect([...Object.keys(samples), ...NOT_CHANGEABLE].sort()).toEqual([...CONTRACT].sort());
  });

  it.each(CONTRACT.filter((name) => !NOT_CHANGEABLE.includes(name)))(
    'allow %s to be created, read, changed, shown in the receipt, and cleared',
    async (name) => {
      const { first, second, cleared } = samples[name]!;
      const card = (await ours.card(board.board_id, { [name]: first })) as FullCard & Record<string, unknown>;
      expect(card[name]).toEqual(first);
      expect((await read(card.id))[name]).toEqual(first);

      const { changed } = await receipt(card.id, { [name]: second });
      expect(changed[name]).toEqual({ from: told(name, first), to: told(name, second) });
      expect((await read(card.id))[name]).toEqual(second);

      if (cleared === undefined) return;
      const empty = cleared === 'number' ? card.number : cleared;
      expect((await receipt(card.id, { [name]: null })).changed[name]).toEqual({ from: second, to: empty });
      expect((await read(card.id))[name]).toEqual(empty);
    },
  );

  it.each(NOT_CHANGEABLE)('refuse %s by name when creating and in a PATCH', async (name) => {
    const card = (await ours.card(board.board_id)) as FullCard & Record<string, unknown>;
    for (const answer of [
      await ours.call('POST', `/boards/${board.board_id}/tasks`, { title: 'x', [name]: card[name] }),
      await ours.patch(`/tasks/${card.id}`, { [name]: card[name] }),
    ]) {
      expect([answer.statusCode, answer.json().detail]).toEqual([422, `${name} is not a known field`]);
    }
  });

  it('each have their own column, and the only other columns are internal', async () => {
    const columns = await listKeptColumns(world.db);
    const names = (table: string) => columns.filter((each) => each.table === table).map(({ name }) => name);
    const kept = FIELD_NAMES.flatMap((name) => columnOf(name) ?? []);
    expect([...kept, 'guest_written', 'status_of_build'].toSorted()).toEqual(names('cards').toSorted());
    const bodies = FIELD_NAMES.filter((name) => fieldOf(name).kept === 'body');
    expect(names('card_bodies')).toEqual(['card_id', ...bodies, 'export_bytes']);
  });

  it.each([
    [
      'alter table cards rename column branch to branches',
      'branch is kept in cards.branch, which is not there',
    ],
    ['alter table cards alter column title drop not null', 'title and cards.title disagree about null'],
    [
      'alter table card_bodies drop column result cascade',
      'result is kept in card_bodies.result, which is not there',
    ],
    ['alter table cards add column mood text not null', "cards.mood needs a value and is no field's"],
  ])('stop the service from starting after %s', async (statement, fault) => {
    await expect(
      world.db.transaction().execute(async (tx) => {
        await sql
          .raw(statement.includes('add column') ? `truncate cards cascade; ${statement}` : statement)
          .execute(tx);
        await assertFieldsAreKept(tx);
      }),
    ).rejects.toThrow(fault);
  });
});
