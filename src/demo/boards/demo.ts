import { feedStore } from '../../features/boards/activity/feed.store.js';
import { freeKey, suggestKey } from '../../features/boards/board/board-key.js';
import { boardStore } from '../../features/boards/board/boards.store.js';
import { type Clock, DAY } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { insertRows } from './demo.store.js';
import { createDice } from './dice.js';
import { BUILD_STORY, CRM_STORY, STUDIO_STORY, type Story } from './story.js';
import { DAYS_OF_HISTORY, type DemoBoard, type DemoWorkspace, tellStory } from './telling.js';

const STORIES: Story[][] = [[BUILD_STORY, CRM_STORY], [STUDIO_STORY]];

/** Boards with weeks of history behind them: the first workspace sells what it builds, others build. */
export async function seedBoardDemo(
  { db, clock }: { db: Db; clock: Clock },
  workspaces: DemoWorkspace[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const [index, workspace] of workspaces.entries()) {
      for (const story of STORIES[Math.min(index, STORIES.length - 1)]!)
        await writeStory(tx, clock.now(), workspace, story);
    }
  });
}

async function writeStory(tx: Tx, now: Date, workspace: DemoWorkspace, story: Story): Promise<void> {
  const madeAt = new Date(now.getTime() - (DAYS_OF_HISTORY + 1) * DAY * 1000);
  const author = workspace.people[0]!;
  const board = await makeBoard(tx, workspace, story, madeAt);
  const { events, cards, bodies, comments } = tellStory({
    story,
    workspace,
    board,
    now,
    dice: createDice(story.cards),
  });
  events.push({
    at: madeAt,
    action: 'board.created',
    actorId: author.user_id,
    changes: { name: { from: null, to: story.name } },
  });
  const feed = events
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map((event, index) => ({
      boardId: board.id,
      sequence: index + 1,
      at: event.at,
      action: event.action,
      taskId: event.card ? String(event.card['card_id']) : null,
      ref: event.card ? `${board.key}-${event.card['number']}` : null,
      cardVersion: null,
      actor: { userId: event.actorId, agentId: null },
      changes: event.changes,
    }));
  await insertRows(tx, 'cards', cards);
  await insertRows(tx, 'card_bodies', bodies);
  await insertRows(tx, 'card_comments', comments);
  await feedStore(tx, workspace.brandId).record(feed, cards.length);
}

async function makeBoard(
  tx: Tx,
  { brandId, people }: DemoWorkspace,
  { name, boardType, columns }: Story,
  madeAt: Date,
): Promise<DemoBoard> {
  const store = boardStore(tx, brandId);
  const base = suggestKey(name);
  const board = {
    id: newId(),
    key: freeKey(base, await store.takenKeys(base)),
    columns: columns.map((column) => ({ id: newId(), ...column })),
  };
  await store.insertBoard(
    {
      board_id: board.id,
      name,
      key: board.key,
      board_type: boardType,
      columns: board.columns,
      created_at: madeAt,
    },
    people[0]!.user_id,
  );
  return board;
}
