import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import { type Clock, DAY, HOUR, MINUTE } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { freeKey, suggestKey } from './boards.board-key.js';
import { newCardRow } from './boards.card-defaults.js';
import { excerptOf, TASK_TYPES } from './boards.card-fields.js';
import type { Column } from './boards.columns.js';
import { BUILD_STORY, CRM_STORY, STUDIO_STORY, type Story } from './boards.demo-story.js';
import { bodiesBytes } from './boards.export-markdown.js';
import type { Action, Changes } from './boards.schemas.js';
import { boardStore } from './boards.store.js';

export interface DemoWorkspace {
  brandId: number;
  people: { user_id: number; full_name: string }[];
}

const STORIES: Story[][] = [[BUILD_STORY, CRM_STORY], [STUDIO_STORY]];
const DAYS_OF_HISTORY = 60;

/** Boards with weeks of history behind them: the first workspace sells what it builds, others build. */
export async function seedBoardDemo(
  { db, clock }: { db: Db; clock: Clock },
  workspaces: DemoWorkspace[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const [index, workspace] of workspaces.entries()) {
      for (const story of STORIES[Math.min(index, STORIES.length - 1)]!)
        await tellStory(tx, clock, workspace, story);
    }
  });
}

type Row = Record<string, unknown>;

interface Event {
  at: Date;
  action: Action;
  actorId: number;
  changes: Changes;
  card?: Row;
}

/** The same numbers on every machine, so that everybody sees the same demo. */
function dice(seed: number) {
  let state = seed;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(roll() * limit);
  return {
    below,
    chance: (share: number): boolean => roll() < share,
    pick: <T>(items: readonly T[]): T => items[below(items.length)]!,
  };
}

type Dice = ReturnType<typeof dice>;

class Telling {
  readonly events: Event[] = [];
  readonly cards: Row[] = [];
  readonly bodies: Row[] = [];
  readonly comments: Row[] = [];

  constructor(
    readonly story: Story,
    readonly workspace: DemoWorkspace,
    readonly board: { id: string; key: string; columns: Column[] },
    readonly now: Date,
    readonly dice: Dice,
  ) {}

  tell(): void {
    const begin = this.now.getTime() - DAYS_OF_HISTORY * DAY * 1000;
    const step = ((DAYS_OF_HISTORY - 1) * DAY * 1000) / this.story.cards;
    for (let number = 1; number <= this.story.cards; number++)
      this.#tellCard(number, new Date(begin + Math.round(step * number)));
  }

  #tellCard(number: number, createdAt: Date): void {
    const { story, dice, board } = this;
    const author = dice.pick(this.workspace.people);
    const title = `${dice.pick(story.verbs)} ${dice.pick(story.things)} ${dice.pick(story.details)}`;
    const instructions = `${title}.\n\nWhy: ${dice.pick(story.comments)}\n\n- keep what works today\n- say in the result what was measured`;
    const first = board.columns[0]!;
    const card: Row = {
      ...newCardRow({
        cardId: newId(),
        boardId: board.id,
        brandId: this.workspace.brandId,
        number,
        reporterId: author.user_id,
        place: { column: first, status: first.status },
        at: createdAt,
      }),
      title,
      task_type: dice.pick(TASK_TYPES),
      labels: dice.chance(0.7) ? [dice.pick(story.labels)] : [],
      priority: dice.pick(['low', 'normal', 'normal', 'high']),
      estimate_points: dice.pick([1, 2, 3, 5, 8]),
      description_excerpt: excerptOf(instructions),
    };
    this.cards.push(card);
    this.#note(
      createdAt,
      'task.created',
      author.user_id,
      { title: { from: null, to: title }, column: { from: null, to: first.name } },
      card,
    );
    const result = this.#tellJourney(card, createdAt);
    this.bodies.push({
      card_id: card['card_id'],
      instructions,
      result,
      export_bytes: bodiesBytes(instructions, result),
    });
  }

  /** From column to column, as far as its age allows; the youngest stay where they began. */
  #tellJourney(card: Row, createdAt: Date): string | null {
    const { story, dice, board } = this;
    const [, progress, review, blocked, done] = board.columns;
    const route = [
      progress!,
      ...(dice.chance(0.15) ? [blocked!, progress!] : []),
      review!,
      dice.chance(0.9) ? done! : (board.columns[5] ?? done!),
    ];
    let column = board.columns[0]!;
    let at = createdAt;
    for (const next of route) {
      at = new Date(at.getTime() + (HOUR + dice.below(4 * DAY)) * 1000);
      if (at >= this.now || dice.chance(0.06)) return null;
      const changes: Changes = {
        status: { from: column.status, to: next.status },
        column: { from: column.name, to: next.name },
      };
      if (next === progress && card['assignee_user_id'] === undefined) this.#assign(card, changes);
      if (next === review && story.repository) this.#openPullRequest(card, changes, story.repository);
      if (next.status === 'done' && card['pr_number'])
        Object.assign(card, { pr_state: 'merged', merged_at: at.toISOString() });
      Object.assign(card, {
        column_id: next.id,
        status: next.status,
        updated_at: at.toISOString(),
        version: Number(card['version']) + 1,
      });
      if (next.status === 'in_progress') card['started_at'] ??= at.toISOString();
      if (next.status === 'done') card['completed_at'] = at.toISOString();
      this.#note(at, 'task.moved', dice.pick(this.workspace.people).user_id, changes, card);
      column = next;
      if (dice.chance(0.35))
        this.#comment(card, new Date(at.getTime() + (MINUTE + dice.below(40 * MINUTE)) * 1000));
    }
    return column.status === 'done' ? `Done. ${dice.pick(story.comments)}` : null;
  }

  #assign(card: Row, changes: Changes): void {
    const person = this.dice.pick(this.workspace.people);
    card['assignee_user_id'] = person.user_id;
    changes['assignee'] = { from: null, to: { user_id: person.user_id, name: person.full_name } };
    if (!this.story.repository || this.dice.chance(0.4)) return;
    Object.assign(card, {
      agent_context: { profile: `${this.dice.pick(['claude', 'codex'])}.${card['task_type']}` },
      attempt: 1,
      tokens_in: 20_000 + this.dice.below(400_000),
      tokens_out: 2_000 + this.dice.below(30_000),
      cost_usd: this.dice.below(900) / 100,
    });
  }

  #openPullRequest(card: Row, changes: Changes, repository: string): void {
    const number = 1000 + Number(card['number']);
    const branch = `card/${this.board.key.toLowerCase()}-${card['number']}`;
    Object.assign(card, {
      branch,
      base_branch: 'main',
      pr_number: number,
      pr_url: `${repository}/pulls/${number}`,
      pr_state: 'open',
      checks_state: this.dice.pick(['passing', 'passing', 'failing', 'pending']),
      review_state: this.dice.pick(['requested', 'approved']),
    });
    changes['branch'] = { from: null, to: branch };
    changes['pr_number'] = { from: null, to: number };
  }

  #comment(card: Row, at: Date): void {
    if (at >= this.now) return;
    const authorId = this.dice.pick(this.workspace.people).user_id;
    const body = this.dice.pick(this.story.comments);
    this.comments.push({
      comment_id: newId(),
      card_id: card['card_id'],
      author_user_id: authorId,
      body,
      created_at: at.toISOString(),
    });
    card['comment_count'] = Number(card['comment_count']) + 1;
    this.#note(at, 'task.commented', authorId, { comment: { from: null, to: body } }, card);
  }

  #note(at: Date, action: Action, actorId: number, changes: Changes, card: Row): void {
    this.events.push({ at, action, actorId, changes, card });
  }
}

async function tellStory(tx: Tx, clock: Clock, workspace: DemoWorkspace, story: Story): Promise<void> {
  const store = boardStore(tx, workspace.brandId);
  const now = clock.now();
  const madeAt = new Date(now.getTime() - (DAYS_OF_HISTORY + 1) * DAY * 1000);
  const author = workspace.people[0]!;
  const base = suggestKey(story.name);
  const board = {
    id: newId(),
    key: freeKey(base, await store.takenKeys(base)),
    columns: story.columns.map((column) => ({ id: newId(), ...column })),
  };
  await store.insertBoard(
    {
      board_id: board.id,
      name: story.name,
      key: board.key,
      board_type: story.boardType,
      columns: board.columns,
      created_at: madeAt,
    },
    author.user_id,
  );
  const telling = new Telling(story, workspace, board, now, dice(story.cards));
  telling.events.push({
    at: madeAt,
    action: 'board.created',
    actorId: author.user_id,
    changes: { name: { from: null, to: story.name } },
  });
  telling.tell();
  await write(tx, telling);
}

async function write(tx: Tx, { events, cards, bodies, comments, board }: Telling): Promise<void> {
  const feed = events
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map((event, index) => ({
      board_id: board.id,
      sequence: index + 1,
      action: event.action,
      created_at: event.at.toISOString(),
      task_id: event.card?.['card_id'] ?? null,
      ref: event.card ? `${board.key}-${event.card['number']}` : null,
      actor_user_id: event.actorId,
      changes: event.changes,
    }));
  await insertRows(tx, 'cards', cards);
  await insertRows(tx, 'card_bodies', bodies);
  await insertRows(tx, 'card_comments', comments);
  await sql`
    insert into board_activity (board_id, sequence, id, action, created_at, task_id, ref, actor_user_id, changes)
    select board_id, sequence, activity_id(created_at, sequence), action, created_at, task_id, ref, actor_user_id, changes
    from jsonb_populate_recordset(null::board_activity, ${JSON.stringify(feed)}::jsonb)
  `.execute(tx);
  await sql`
    update boards set last_number = ${cards.length}, last_sequence = ${feed.length}, last_activity_at = ${feed.at(-1)!.created_at}
    where board_id = ${board.id}
  `.execute(tx);
}

async function insertRows(tx: Tx, table: string, rows: Row[]): Promise<void> {
  const name = sql.table(table);
  await sql`insert into ${name} select * from jsonb_populate_recordset(null::${name}, ${JSON.stringify(rows)}::jsonb)`.execute(
    tx,
  );
}
