import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { feedStore } from '../../features/boards/activity/feed.store.js';
import { boardStore } from '../../features/boards/board/boards.store.js';
import { freeKey, suggestKey } from '../../features/boards/cards/board-records.service.js';
import type { BoardService } from '../../features/boards/index.js';
import type { MemberCaller } from '../../kernel/access.js';
import { type Clock, DAY } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { ImageStore } from '../../platform/images/images.js';
import {
  createDice,
  createStory,
  DAYS_OF_HISTORY,
  type DemoBoard,
  type DemoWorkspace,
} from './card-story.js';
import { insertRows } from './demo.store.js';
import { BUILD_STORY, CRM_STORY, STUDIO_STORY, type Story } from './story.js';

const STORIES: Story[][] = [[BUILD_STORY, CRM_STORY], [STUDIO_STORY]];

/** Boards with weeks of history: the first workspace builds and sells, the others only build. */
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
  const { events, cards, bodies, comments } = createStory({
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
    key: freeKey(base, await store.listTakenKeys(base)),
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

interface DemoDeps {
  boards: BoardService;
  images: ImageStore;
  config: { dataDir: string };
}

/** A picture of a hall with two shelves and the route around them. */
const MAP = new URL('./map-of-the-hall.png', import.meta.url);

const NOTES = `Measured in the hall, third run of the day

aisle   width   slowest
1       2.4 m   0.31 m/s
2       1.9 m   0.22 m/s
3       2.6 m   0.35 m/s
`;

export async function seedAttachmentDemo(deps: DemoDeps, caller: MemberCaller): Promise<void> {
  const { boards, images } = deps;
  if (!images.configured) return;
  const [board] = (await boards.listBoards(caller, { page: 1, per_page: 1 })).boards;
  const wish = { page: 1, per_page: 100 };
  const listed = board && (await boards.listCards(caller, board.board_id, 'summary', wish));
  const cards = listed && 'items' in listed ? (listed.items as { id: string; status?: string }[]) : [];
  const card = cards.find(({ status }) => status === 'in_progress') ?? cards[0];
  if (!card) return;
  await attach(deps, caller, card.id, 'map-of-the-hall.png', await readFile(MAP));
  await attach(deps, caller, card.id, 'measurements.txt', Buffer.from(NOTES));
}

async function attach(
  { boards, config }: DemoDeps,
  caller: MemberCaller,
  cardId: string,
  name: string,
  content: Buffer,
): Promise<void> {
  const folder = join(config.dataDir, 'spool');
  const path = join(folder, newId());
  const place = { cardId, commentId: null };
  const sha256 = createHash('sha256').update(content).digest('hex');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, content, { mode: 0o600 });
    const file = { path, name, bytes: content.length, sha256, tooLarge: false };
    await boards.addAttachment(caller, place, await boards.storeFile(caller, place, file));
  } finally {
    await rm(path, { force: true });
  }
}
