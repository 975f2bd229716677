import type { MemberCaller } from '../../../kernel/access.js';
import { showActor } from '../../../kernel/actors.js';
import { type BoardServiceOptions, guestIdOf } from '../board/board-access.js';
import { type BoardName, boardStore } from '../board/boards.store.js';
import { type AskedRef, cardSearchStore, type FoundCardRow, type FoundTextRow } from './card-search.store.js';

interface SearchedCard {
  card_id: string;
  ref: string;
  title: string;
  status: string;
  board_id: string;
  board_name: string;
  instructions: string | null;
  result: string | null;
  comment: { id: string; body: string; author: string | null } | null;
}

const NUMBER = /^#?(\d{1,9})$/;
const KEY_AND_NUMBER = /^([a-z0-9]{1,20})(?:\s*-\s*|\s+)#?(\d{1,9})$/i;

/** Reads `322`, `#322`, `PB-322` and `pb 322`. */
function readRef(text: string): AskedRef | undefined {
  const given = text.trim();
  const alone = NUMBER.exec(given)?.[1];
  if (alone !== undefined) return { key: null, number: Number(alone) };
  const [, key, number] = KEY_AND_NUMBER.exec(given) ?? [];
  return key === undefined ? undefined : { key: key.toUpperCase(), number: Number(number) };
}

export function createCardSearchService({ db }: Pick<BoardServiceOptions, 'db'>) {
  return {
    listBoardNames: (caller: MemberCaller, words: readonly string[]): Promise<BoardName[]> =>
      boardStore(db, caller.brandId).listNames(guestIdOf(caller), words),

    /** The card named by the text first, then cards that contain its words. */
    async searchCards(
      caller: MemberCaller,
      { text, limit, crm }: { text: string; limit: number; crm: boolean },
    ): Promise<SearchedCard[]> {
      const store = cardSearchStore(db, caller.brandId);
      const boards = { guestId: guestIdOf(caller), crm };
      const ref = readRef(text);
      const [named, worded] = await Promise.all([
        ref ? store.findByNumber(ref, boards, limit) : [],
        store.findByWords(text, boards, limit),
      ]);
      const known = new Set(named.map(({ card_id }) => card_id));
      return [...named, ...worded.filter(({ card_id }) => !known.has(card_id))]
        .slice(0, limit)
        .map(toSearchedCard);
    },
  };
}

function toSearchedCard(row: FoundCardRow | FoundTextRow): SearchedCard {
  const { instructions = null, result = null, comment = null } = row as Partial<FoundTextRow>;
  return {
    card_id: row.card_id,
    ref: `${row.board_key}-${row.number}`,
    title: row.title,
    status: row.status,
    board_id: row.board_id,
    board_name: row.board_name,
    instructions,
    result,
    comment: comment && { ...comment, author: showActor(comment.author)?.name ?? null },
  };
}
