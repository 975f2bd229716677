import { listBoards } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { addressOfCard, findCards } from '../api/work.js';
import { useAllCommands } from '../shell/commands.js';
import { navigate } from '../shell/router.js';
import { useSettled } from '../ui/settled.js';
import { sortByRank, wordsOf } from './rank.js';

export interface Entry {
  id: string;
  group: string;
  label: string;
  hint?: string;
  keys?: string;
  perform(): void;
}

const MOST_COMMANDS = 12;
const MOST_BOARDS = 5;
const MOST_CARDS = 8;

/** What is looked through beside deeds: an operator's pages have no session, so no boards and cards. */
export type Reach = 'workspace' | 'deeds';

/** Deeds, boards and cards that fit what is typed, in the order they are shown. */
export function useEntries(typed: string, reach: Reach): { entries: Entry[]; asking: boolean } {
  const words = wordsOf(typed);
  const commands = useAllCommands();
  const boards = useResource(reach === 'workspace' ? 'boards' : null, listBoards, { freshMs: 30_000 });
  const settled = useSettled(typed.trim(), 150);
  const asked = reach === 'workspace' ? settled : '';
  const cards = useResource(
    asked ? `palette-cards:${asked}` : null,
    (signal) => findCards({ q: asked, limit: MOST_CARDS }, undefined, signal),
    { keep: true, freshMs: 5000 },
  );

  const offered = words.length > 0 ? commands : commands.filter(({ sought }) => !sought);
  const deeds = sortByRank(offered, ({ label, words: more }) => `${label} ${more ?? ''}`, words)
    .slice(0, MOST_COMMANDS)
    .map(({ id, group, label, keys, perform }): Entry => ({ id, group, label, keys, perform }));
  const places = sortByRank(boards.data?.boards ?? [], ({ name, key }) => `${name} ${key}`, words)
    .slice(0, words.length > 0 ? MOST_BOARDS : 0)
    .map(
      (board): Entry => ({
        id: `board-${board.board_id}`,
        group: 'Boards',
        label: board.name,
        hint: board.key,
        perform: () => navigate(`/dashboard/boards/${board.board_id}`),
      }),
    );
  const found = (asked && words.length > 0 ? (cards.data?.items ?? []) : []).map(
    (card): Entry => ({
      id: `card-${card.id}`,
      group: 'Cards',
      label: card.title,
      hint: card.ref,
      perform: () => navigate(addressOfCard(card)),
    }),
  );
  return { entries: [...found, ...places, ...deeds], asking: Boolean(asked) && cards.refreshing };
}
