import { useResource } from '../api/resource.js';
import {
  addressOfHit,
  KIND_NAMES,
  LONGEST_QUESTION,
  type SearchGroup,
  type SearchHit,
  searchEverything,
} from '../api/search.js';
import { listRecent } from '../search/recent.js';
import { type Command, useAllCommands } from '../shell/commands.js';
import { navigate } from '../shell/router.js';
import { identityOf, useSessionState } from '../shell/session.js';
import { useSettled } from '../ui/settled.js';
import { fitsWell, sortByRank, wordsOf } from './rank.js';

export interface Entry {
  id: string;
  group: string;
  label: string;
  hint?: string;
  keys?: string;
  /** The search result, if the entry is one. */
  hit?: SearchHit;
  /** Whether the entry comes from a search that may still be running. */
  found?: boolean;
  perform(): void;
}

/** Id of the last entry, which opens the search page. */
export const SEARCH_PAGE = 'search-everything';
const MOST_COMMANDS = 12;
/** Maximum number of commands above the search results; the rest follow below. */
const MOST_COMMANDS_ABOVE = 5;
const MOST_OF_A_KIND = 5;
const TYPING_PAUSE_MS = 120;

/** `commands` limits the palette to commands: operator pages have no session, so they cannot search. */
export type Reach = 'workspace' | 'commands';

/** Commands and search results in display order; `asking` is true while a search runs. */
export function useEntries(typed: string, reach: Reach): { entries: Entry[]; asking: boolean } {
  const words = wordsOf(typed);
  const commands = useAllCommands();
  const recent = useRecent(reach);
  const text = reach === 'workspace' ? typed.trim().slice(0, LONGEST_QUESTION) : '';
  const asked = useSettled(text, TYPING_PAUSE_MS);
  const found = useResource(
    asked ? `palette:${asked}` : null,
    (signal) => searchEverything(asked, { limit: MOST_OF_A_KIND }, signal),
    { keep: true, freshMs: 5000 },
  );
  const asking = text !== '' && !found.fault && found.data?.asked !== text;

  if (words.length === 0) {
    const offered = commands.filter(({ sought }) => !sought).slice(0, MOST_COMMANDS);
    return { entries: [...recent, ...offered.map(entryOfCommand)], asking: false };
  }
  const matches = sortByRank(commands, nameOfCommand, words).slice(0, MOST_COMMANDS);
  const things = text === '' ? [] : (found.data?.groups ?? []).flatMap(entriesOfGroup);
  const above = matches
    .filter((command) => fitsWell(nameOfCommand(command), words))
    .slice(0, things.length > 0 || asking ? MOST_COMMANDS_ABOVE : MOST_COMMANDS);
  // While a search runs, hide weak matches, because better ones may arrive.
  const below = asking ? [] : matches.filter((command) => !above.includes(command));
  return {
    entries: [
      ...above.map(entryOfCommand),
      ...things,
      ...below.map(entryOfCommand),
      ...(text === '' ? [] : [searchPage(text)]),
    ],
    asking,
  };
}

const nameOfCommand = ({ label, words }: Command): string => `${label} ${words ?? ''}`;

const entryOfCommand = ({ id, group, label, keys, perform }: Command): Entry => ({
  id,
  group,
  label,
  keys,
  perform,
});

const entriesOfGroup = ({ kind, hits }: SearchGroup): Entry[] =>
  hits.map((hit) => ({
    id: `${kind}-${hit.id}`,
    group: KIND_NAMES[kind],
    label: hit.title,
    hint: kind === 'build' ? undefined : hit.ref,
    hit,
    found: true,
    perform: () => navigate(addressOfHit(hit)),
  }));

const searchPage = (text: string): Entry => ({
  id: SEARCH_PAGE,
  group: 'More',
  label: `Search everything for “${text}”`,
  found: true,
  perform: () => navigate(`/dashboard/search?q=${encodeURIComponent(text)}`),
});

function useRecent(reach: Reach): Entry[] {
  const { state } = useSessionState();
  if (reach === 'commands' || state.kind !== 'signed-in') return [];
  const here = `${location.pathname}${location.search}`;
  return listRecent(identityOf(state.session))
    .filter(({ address }) => address !== here)
    .map(({ address, title }) => ({
      id: `recent-${address}`,
      group: 'Recent',
      label: title,
      perform: () => navigate(address),
    }));
}
