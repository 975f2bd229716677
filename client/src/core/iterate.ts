import { GuildhallError } from './errors.js';
import type { Fields, Pages } from './operation.js';

type Item = Record<string, unknown>;
type ReadPage = (fields: Fields) => Promise<unknown>;

/** Yields each item of a list once, page by page, even if the list changes meanwhile. */
export async function* iteratePages(
  pages: Pages,
  fields: Fields,
  read: ReadPage,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  const seen = new Set<unknown>();
  const steps = stepsOf(pages, fields, read);
  for await (const items of steps) {
    for (const item of items) {
      const key = pages.key === undefined ? undefined : item[pages.key];
      if (key !== undefined && seen.has(key)) continue;
      seen.add(key);
      yield item;
      signal?.throwIfAborted();
    }
  }
}

/** Uses the cursor if the list has one, and page numbers if the caller asked for a page. */
function stepsOf(pages: Pages, fields: Fields, read: ReadPage): AsyncGenerator<Item[]> {
  if (pages.style !== 'page') return continued(pages, fields, read);
  const { cursor, items } = pages;
  if (!cursor || fields[pages.parameter] !== undefined) return numbered(pages, fields, read);
  const begun = { ...fields, [cursor.parameter]: fields[cursor.parameter] ?? '' };
  return continued({ style: 'cursor', items, ...cursor }, begun, read);
}

function itemsOf({ items }: Pages, answer: unknown): Item[] {
  const found = items === null ? answer : (answer as Item | null)?.[items];
  if (Array.isArray(found)) return found;
  const detail = 'The answer is no list; is this the address of a Guildhall?';
  throw new GuildhallError({ status: 200, detail });
}

/** Each answer contains the cursor of the next one. */
async function* continued(
  pages: Exclude<Pages, { style: 'page' }>,
  fields: Fields,
  read: ReadPage,
): AsyncGenerator<Item[]> {
  let next: unknown = fields[pages.parameter];
  do {
    const answer = await read({ ...fields, [pages.parameter]: next });
    const items = itemsOf(pages, answer);
    if (items.length === 0) return;
    yield items;
    next = pages.style === 'cursor' ? (answer as Item)[pages.next] : items.at(-1)![pages.from];
  } while (next !== null && next !== undefined);
}

/**
 * Requests pages by number. If items were deleted, later ones move up, so it goes back by that many pages.
 */
async function* numbered(
  pages: Extract<Pages, { style: 'page' }>,
  fields: Fields,
  read: ReadPage,
): AsyncGenerator<Item[]> {
  const first = Number(fields[pages.parameter] ?? 1);
  let page = first;
  let before: number | undefined;
  for (;;) {
    const answer = (await read({ ...fields, [pages.parameter]: page })) as Item;
    const items = itemsOf(pages, answer);
    yield items;
    const size = Number(answer[pages.size] ?? fields[pages.size] ?? pages.usualSize ?? items.length) || 1;
    const total = Number(answer['total']);
    const gone = before === undefined ? 0 : Math.max(0, before - total);
    before = total;
    if (gone > 0 && page > first) page = Math.max(first, page - Math.ceil(gone / size));
    else if (items.length === 0 || page * size >= total) return;
    else page += 1;
  }
}
