import type { Db } from '../../../platform/database/database.js';
import type { CardPage } from './card-pages.store.js';
import { cardPageStore } from './card-pages.store.js';

/** More long texts than this are never in memory together. */
const AT_ONCE_BYTES = 8 * 1024 * 1024;

export interface ListedPage extends CardPage {
  page: number;
  per_page: number;
  /** Only where the page was asked for by cursor. */
  next_cursor?: string | null;
}

/** Cards of a page in runs whose long texts fit into memory at once; most pages are one run. */
export async function planRuns(
  db: Db,
  brandId: number,
  cards: { id: string }[],
): Promise<{ id: string }[][]> {
  const sizes = await cardPageStore(db, brandId).findBodySizes(cards.map(({ id }) => id));
  const runs: { id: string }[][] = [[]];
  let bytes = 0;
  for (const card of cards) {
    const size = sizes.get(card.id) ?? 0;
    if (bytes > 0 && bytes + size > AT_ONCE_BYTES) {
      runs.push([]);
      bytes = 0;
    }
    runs.at(-1)!.push(card);
    bytes += size;
  }
  return runs;
}

/** The page as JSON, run by run and card by card: a page of mebibytes would hold everybody else up. */
export async function* writePage(
  db: Db,
  brandId: number,
  runs: { id: string }[][],
  { items: _items, ...rest }: ListedPage,
): AsyncGenerator<string> {
  yield '{"items":[';
  let separator = '';
  for (const run of runs) {
    for (const card of await cardPageStore(db, brandId).addBodies(run)) {
      yield separator + JSON.stringify(card);
      separator = ',';
    }
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}
