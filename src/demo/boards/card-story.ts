import type { Column } from '../../features/boards/board/columns.js';
import { excerptOf } from '../../features/boards/board/text.js';
import type { Action, Changes } from '../../features/boards/boards.schemas.js';
import { newCardRow } from '../../features/boards/cards/card-changes.js';
import { TASK_TYPES } from '../../features/boards/cards/card-fields.js';
import { bodiesBytes } from '../../features/boards/cards/export-markdown.js';
import { DAY, HOUR, MINUTE } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Story } from './story.js';

export type Row = Record<string, unknown>;

export const DAYS_OF_HISTORY = 60;
const DEMO_AGENT = 'robo-builder';

export interface DemoWorkspace {
  brandId: number;
  people: { user_id: number; full_name: string }[];
}

export interface DemoBoard {
  id: string;
  key: string;
  columns: Column[];
}

interface Event {
  at: Date;
  action: Action;
  actorId: number;
  changes: Changes;
  card?: Row;
}

interface Stage {
  story: Story;
  workspace: DemoWorkspace;
  board: DemoBoard;
  now: Date;
  dice: Dice;
}

export function createStory({ story, workspace, board, now, dice }: Stage) {
  const events: Event[] = [];
  const cards: Row[] = [];
  const bodies: Row[] = [];
  const comments: Row[] = [];
  const somebody = () => dice.pick(workspace.people);

  function writeCard(number: number, createdAt: Date): void {
    const author = somebody();
    const title = `${dice.pick(story.verbs)} ${dice.pick(story.things)} ${dice.pick(story.details)}`;
    const instructions = `${title}.\n\nWhy: ${dice.pick(story.comments)}\n\n- keep what works today\n- say in the result what was measured`;
    const first = board.columns[0]!;
    const card: Row = {
      ...newCardRow({
        cardId: newId(),
        boardId: board.id,
        brandId: workspace.brandId,
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
    cards.push(card);
    joinParent(card, number);
    const changes = { title: { from: null, to: title }, column: { from: null, to: first.name } };
    events.push({ at: createdAt, action: 'task.created', actorId: author.user_id, changes, card });
    const texts = { instructions, result: writeJourney(card, createdAt) };
    if (card['status'] !== 'done' && card['status'] !== 'canceled') giveOut(card, number);
    bodies.push({ card_id: card['card_id'], ...texts, export_bytes: bodiesBytes(texts) });
  }

  /**
   * Three of every twelve cards become parts of an earlier one; chosen by number, so that the sequence of
   * random numbers stays the same.
   */
  function joinParent(card: Row, number: number): void {
    const part = (number % 12) - 8;
    if (part > 0) card['parent_id'] = cards[number - part - 1]!['card_id'];
  }

  /**
   * Assigns some open cards to an agent and gives some a due date; chosen by number, so that the sequence of
   * random numbers stays the same.
   */
  function giveOut(card: Row, number: number): void {
    if (story.repository && number % 4 === 1) card['assignee_agent_id'] = DEMO_AGENT;
    if (number % 5 === 3)
      card['due_at'] = new Date(now.getTime() + ((number % 23) - 4) * DAY * 1000).toISOString();
  }

  /** Moves a card through the columns as far as its age allows; the newest stay in the first. */
  function writeJourney(card: Row, createdAt: Date): string | null {
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
      if (at >= now || dice.chance(0.06)) return null;
      const changes: Changes = {
        status: { from: column.status, to: next.status },
        column: { from: column.name, to: next.name },
      };
      if (next === progress && card['assignee_user_id'] === null) assign(card, changes);
      if (next === review && story.repository) openPullRequest(card, changes, story.repository);
      move(card, next, at);
      events.push({ at, action: 'task.moved', actorId: somebody().user_id, changes, card });
      column = next;
      if (dice.chance(0.35))
        comment(card, new Date(at.getTime() + (MINUTE + dice.below(40 * MINUTE)) * 1000));
    }
    return column.status === 'done' ? `Done. ${dice.pick(story.comments)}` : null;
  }

  function move(card: Row, { id, status }: Column, at: Date): void {
    const now = at.toISOString();
    Object.assign(card, {
      column_id: id,
      status,
      updated_at: now,
      version: Number(card['version']) + 1,
    });
    if (status === 'in_progress') card['started_at'] ??= now;
    if (status !== 'done') return;
    card['completed_at'] = now;
    if (card['pr_number']) Object.assign(card, { pr_state: 'merged', merged_at: now });
  }

  function assign(card: Row, changes: Changes): void {
    const { user_id, full_name } = somebody();
    card['assignee_user_id'] = user_id;
    changes['assignee'] = { from: null, to: { user_id, name: full_name } };
    if (!story.repository || dice.chance(0.4)) return;
    Object.assign(card, {
      agent_context: { profile: `${dice.pick(['claude', 'codex'])}.${card['task_type']}` },
      attempt: 1,
      tokens_in: 20_000 + dice.below(400_000),
      tokens_out: 2_000 + dice.below(30_000),
      cost_usd: dice.below(900) / 100,
    });
  }

  function openPullRequest(card: Row, changes: Changes, repository: string): void {
    const number = 1000 + Number(card['number']);
    const branch = `card/${board.key.toLowerCase()}-${card['number']}`;
    Object.assign(card, {
      branch,
      base_branch: 'main',
      pr_number: number,
      pr_url: `${repository}/pulls/${number}`,
      pr_state: 'open',
      checks_state: dice.pick(['passing', 'passing', 'failing', 'pending']),
      review_state: dice.pick(['requested', 'approved']),
    });
    changes['branch'] = { from: null, to: branch };
    changes['pr_number'] = { from: null, to: number };
  }

  function comment(card: Row, at: Date): void {
    if (at >= now) return;
    const { user_id: actorId } = somebody();
    const body = dice.pick(story.comments);
    comments.push({
      comment_id: newId(),
      card_id: card['card_id'],
      author_user_id: actorId,
      body,
      created_at: at.toISOString(),
    });
    card['comment_count'] = Number(card['comment_count']) + 1;
    events.push({
      at,
      action: 'task.commented',
      actorId,
      changes: { comment: { from: null, to: body } },
      card,
    });
  }

  const begin = now.getTime() - DAYS_OF_HISTORY * DAY * 1000;
  const step = ((DAYS_OF_HISTORY - 1) * DAY * 1000) / story.cards;
  for (let number = 1; number <= story.cards; number++)
    writeCard(number, new Date(begin + Math.round(step * number)));
  return { events, cards, bodies, comments };
}

/** A seeded generator, so that the demo is the same on every machine. */
export function createDice(seed: number) {
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

type Dice = ReturnType<typeof createDice>;
