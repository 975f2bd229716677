import type { PersonalPart } from '../../kernel/personal-data.js';

/** One JSON document, written page by page: however much a person did, little of it is in memory at a time. */
export async function* writePersonalData(
  head: Record<string, unknown>,
  parts: readonly PersonalPart[],
): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1);
  for (const { name, page } of parts) {
    yield `,${JSON.stringify(name)}:[`;
    let separator = '';
    for (let after: string | undefined; ; ) {
      const { items, next } = await page(after);
      if (items.length > 0) {
        yield separator + items.map((item) => JSON.stringify(item)).join(',');
        separator = ',';
      }
      if (next === undefined) break;
      after = next;
    }
    yield ']';
  }
  yield '}';
}
