import type { Board, Import, ImportRowList } from '../../../client/src/index.js';
import type { Call } from '../command.js';
import { misuse } from '../failure.js';
import { same } from '../find.js';
import { ask, canAsk } from '../prompt.js';

export type Row = ImportRowList['rows'][number];

const STATUSES = ['pending', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'];
/** The rest is summed up in one line; `--json` lists everything. */
const MOST_SHOWN = 1000;
const MOST_BEFORE_ASKING = 20;

export const rowColumns = [
  { title: 'row', of: ({ row }: Row) => row },
  { title: 'result', of: ({ status }: Row) => (status === 'new' ? 'new card' : status) },
  { title: 'title', of: ({ title }: Row) => title ?? '' },
  { title: 'state', of: ({ state }: Row) => state ?? '' },
  { title: 'assignee', of: ({ assignee }: Row) => assignee ?? '' },
  { title: 'reason', of: ({ reason }: Row) => reason ?? '' },
];

const number = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** For example `12 cards to create; 3 already imported; 1 row cannot be read`. */
export const sumUp = ({ counts }: Import): string =>
  [
    `${number(counts.new, 'card')} to create`,
    ...(counts.known > 0 ? [`${counts.known} already imported`] : []),
    ...(counts.unreadable > 0 ? [`${number(counts.unreadable, 'row')} cannot be read`] : []),
  ].join('; ');

export async function readRows(
  call: Call,
  import_id: string,
  status?: Row['status'],
  most = MOST_SHOWN,
): Promise<Row[]> {
  const rows: Row[] = [];
  const query = { import_id, limit: Math.min(500, most), ...(status && { status }) };
  for await (const row of call.service().client.iterate('listImportRows', query, { signal: call.signal })) {
    rows.push(row as Row);
    if (rows.length === most) break;
  }
  return rows;
}

/** Shows the planned result for each row, each state and the people. */
export async function showPreview(
  call: Call,
  found: Import,
  { whole, users }: { whole: boolean; users: Record<string, string> },
): Promise<void> {
  const { out } = call;
  const { counts, states, people, lost } = found;
  const most = whole ? MOST_SHOWN : MOST_BEFORE_ASKING;
  const rows = whole
    ? await readRows(call, found.import_id, undefined, most)
    : [
        ...(await readRows(call, found.import_id, 'unreadable', most)),
        ...(await readRows(call, found.import_id, 'new', most)),
      ].toSorted((one, other) => one.row - other.row);
  out.list(rows, rowColumns, 'The import contains no rows.');
  const all = counts.new + counts.known + counts.unreadable + counts.made;
  if (rows.length < all) out.note(`… ${all - rows.length} more rows. Show all with: --dry-run --json`);
  for (const { name, cards, to } of states) out.note(`${name} (${number(cards, 'card')}) → ${to ?? '?'}`);
  if (people.matched.length > 0)
    out.note(`Matched members: ${people.matched.map(({ name }) => name).join(', ')}`);
  for (const [login, email] of Object.entries(users)) out.note(`${login} → ${email}`);
  const unknown = people.unmatched.filter((login) => !Object.keys(users).some((each) => same(each, login)));
  if (unknown.length > 0)
    out.note(
      `Unknown people, named in the card text: ${unknown.slice(0, 20).join(', ')} (map them with --map-user)`,
    );
  for (const { what, cards } of lost) out.note(`Not imported (${number(cards, 'card')}): ${what}`);
  out.note(`${sumUp(found)}.`);
}

/** Parses `Doing=In Progress` or `octocat=ada@acme.example`. */
export function readMap(
  texts: readonly string[] = [],
  { name, form, example } = { name: '--map', form: '<from>=<to>', example: '--map "Doing=In Progress"' },
): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      const [from, to] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      if (at < 1 || from === '' || to === '')
        throw misuse(`${name} must have the form ${form}, not ${text}`, `For example: ${example}`);
      return [from, to];
    }),
  );
}

/** Maps every state: automatically, by --map, or by asking at a terminal. */
export async function decideMapping(
  { states }: Import,
  board: Board,
  given: Record<string, string>,
): Promise<Record<string, string>> {
  const mapping = { ...given };
  const places = [...board.columns.map(({ name }) => name), ...STATUSES];
  for (const [from, to] of Object.entries(given))
    if (!places.some((place) => same(place, to)))
      throw misuse(
        `Cannot map ${from}: ${board.key} has no column or status ${to}`,
        `Use one of: ${places.join(', ')}`,
      );
  const open = states.filter(
    ({ name, to }) => to === null && !Object.keys(given).some((from) => same(from, name)),
  );
  if (open.length === 0) return mapping;
  if (!canAsk())
    throw misuse(
      `These states are not mapped: ${open.map(({ name }) => name).join(', ')}`,
      `Pass --map ${JSON.stringify(`${open[0]!.name}=${places[0]}`)} for each, with one of: ${places.join(', ')}`,
    );
  for (const { name, cards } of open) {
    for (let answer = ''; !mapping[name]; ) {
      answer = await ask(
        `Map ${name} (${number(cards, 'card')}) to which column or status? (${places.join(', ')}) `,
      );
      const place = places.find((each) => same(each, answer));
      if (place) mapping[name] = place;
    }
  }
  return mapping;
}
