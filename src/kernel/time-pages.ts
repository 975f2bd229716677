import { CursorCodec } from './cursor.js';

/** Where a page of a list in the order of time ended. */
export interface TimePlace {
  at: Date;
  id: string;
}

/** The cursors of a list in the order of time. `refuse` makes the error for one that this list did not issue. */
export function timePages(secret: string, purpose: string, refuse: () => Error) {
  const cursors = new CursorCodec(secret, purpose);
  return {
    read(cursor: string | undefined): TimePlace | undefined {
      if (cursor === undefined) return undefined;
      const position = cursors.decode(cursor);
      if (!Array.isArray(position)) throw refuse();
      const [at, id] = position as [string, string];
      return { at: new Date(at), id };
    },

    /** What is shown of rows that were read with one more than fits, which tells whether anything follows. */
    cut<Row>(rows: Row[], limit: number, placeOf: (row: Row) => TimePlace) {
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      const place = last && placeOf(last);
      return { page, next_cursor: place ? cursors.encode([place.at.toISOString(), place.id]) : null };
    },
  };
}
