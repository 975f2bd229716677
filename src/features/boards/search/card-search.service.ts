import type { MemberCaller } from '../../../kernel/access.js';
import { showActor } from '../../../kernel/actors.js';
import type { BoardServiceOptions } from '../boards.options.js';
import { type BoardName, boardStore } from '../boards.store.js';
import { cardSearchStore, type FoundCardRow, type FoundTextRow } from './card-search.store.js';

/** A card as a search finds it, with the texts that may have the words. */
interface SearchedCard {
  card_id: string;
  ref: string;
  title: string;
  status: string;
  board: BoardName;
  instructions: string | null;
  result: string | null;
  comment: { id: string; body: string; author: string | null } | null;
}

/** A card by its ref, or by its number alone on whichever board. */
interface AskedRef {
  key: string | null;
  number: number;
}

const NUMBER = /^#?(\d{1,9})$/;
const KEY_AND_NUMBER = /^([a-z0-9]{1,20})(?:\s*-\s*|\s+)#?(\d{1,9})$/i;

/** `322`, `#322`, `PB-322` and `pb 322` name a card. */
function readRef(text: string): AskedRef | undefined {
  const given = text.trim();
  const alone = NUMBER.exec(given)?.[1];
  if (alone !== undefined) return { key: null, number: Number(alone) };
  const [, key, number] = KEY_AND_NUMBER.exec(given) ?? [];
  return key === undefined ? undefined : { key: key.toUpperCase(), number: Number(number) };
}

/** What the search over everything asks of boards; whoever asks sees what they can open. */
export function createCardSearchService({ db }: Pick<BoardServiceOptions, 'db'>) {
  async function findByRef(
    brandId: number,
    boards: readonly BoardName[],
    ref: AskedRef,
    limit: number,
  ): Promise<FoundCardRow[]> {
    const ids = boards
      .filter(({ key }) => ref.key === null || key === ref.key)
      .map(({ board_id }) => board_id);
    return ids.length === 0 ? [] : cardSearchStore(db, brandId).findByNumber(ids, ref.number, limit);
  }

  return {
    listBoardNames: (caller: MemberCaller): Promise<BoardName[]> =>
      boardStore(db, caller.brandId).listNames(caller.role === 'guest' ? caller.userId : null),

    /** On boards that the caller can open: the card that the text names first, then those that have its words. */
    async searchCards(
      caller: MemberCaller,
      boards: readonly BoardName[],
      text: string,
      limit: number,
    ): Promise<SearchedCard[]> {
      if (boards.length === 0) return [];
      const ref = readRef(text);
      const ids = boards.map(({ board_id }) => board_id);
      const [named, worded] = await Promise.all([
        ref ? findByRef(caller.brandId, boards, ref, limit) : [],
        cardSearchStore(db, caller.brandId).findByWords(text, { ids, few: caller.role === 'guest' }, limit),
      ]);
      const known = new Set(named.map(({ card_id }) => card_id));
      const boardOf = new Map(boards.map((board) => [board.board_id, board]));
      return [...named, ...worded.filter(({ card_id }) => !known.has(card_id))]
        .slice(0, limit)
        .map((row) => toSearchedCard(row, boardOf.get(row.board_id)!));
    },
  };
}

function toSearchedCard(row: FoundCardRow | FoundTextRow, board: BoardName): SearchedCard {
  const { instructions = null, result = null, comment = null } = row as Partial<FoundTextRow>;
  return {
    card_id: row.card_id,
    ref: `${board.key}-${row.number}`,
    title: row.title,
    status: row.status,
    board,
    instructions,
    result,
    comment: comment && { ...comment, author: showActor(comment.author)?.name ?? null },
  };
}
