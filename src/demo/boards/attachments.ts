import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BoardService } from '../../features/boards/index.js';
import type { MemberCaller } from '../../kernel/access.js';
import { newId } from '../../kernel/ids.js';
import type { ImageStore } from '../../platform/images/images.js';

interface DemoDeps {
  boards: BoardService;
  images: ImageStore;
  config: { dataDir: string };
}

/** A hall with two shelves, and the way around them. */
const MAP = new URL('./map-of-the-hall.png', import.meta.url);

const NOTES = `Measured in the hall, third run of the day

aisle   width   slowest
1       2.4 m   0.31 m/s
2       1.9 m   0.22 m/s
3       2.6 m   0.35 m/s
`;

/** A picture and a text on a card that somebody works on. */
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
