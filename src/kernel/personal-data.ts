/** One list of what is known about a person, read page by page. */
export interface PersonalPart {
  /** Its key in the export. */
  name: string;
  /** The page after a place in the list; without `next` it was the last. */
  page(after: string | undefined): Promise<{ items: object[]; next?: string }>;
}

/** For lists that are short by nature. */
export const wholePart = (name: string, read: () => Promise<object[]>): PersonalPart => ({
  name,
  page: async () => ({ items: await read() }),
});

const PAGE = 500;

/** For lists that grow; `idOf` names the column that they are ordered by. */
export const pagedPart = <Row extends object>(
  name: string,
  idOf: (row: Row) => string,
  read: (after: string | undefined, limit: number) => Promise<Row[]>,
): PersonalPart => ({
  name,
  async page(after) {
    const items = await read(after, PAGE);
    return items.length === PAGE ? { items, next: idOf(items.at(-1)!) } : { items };
  },
});
