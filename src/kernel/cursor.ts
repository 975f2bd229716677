import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE_BYTES = 12;

/**
 * Opaque page cursors. They are signed, so that altered or foreign ones are rejected, and stateless, so that
 * they survive restarts.
 */
export class CursorCodec {
  constructor(
    private readonly secret: string,
    /**
     * The list that the cursor belongs to, such as `activity:<board_id>`. A cursor of another list does not
     * verify.
     */
    private readonly purpose: string,
  ) {}

  encode(position: unknown): string {
    const payload = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.#sign(payload), payload]).toString('base64url');
  }

  /** Returns undefined when this codec did not issue the cursor. */
  decode(cursor: string): unknown {
    if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== cursor) return undefined;
    const payload = bytes.subarray(SIGNATURE_BYTES);
    if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.#sign(payload))) return undefined;
    return JSON.parse(payload.toString());
  }

  #sign(payload: Uint8Array): Buffer {
    return createHmac('sha256', this.secret)
      .update(this.purpose)
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}

export interface TimePlace {
  at: Date;
  id: string;
}

/** Cursors for a list ordered by time. `refuse` creates the error for an invalid cursor. */
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

    /** Expects one row more than the limit, which shows whether another page follows. */
    cut<Row>(rows: Row[], limit: number, placeOf: (row: Row) => TimePlace) {
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      const place = last && placeOf(last);
      return { page, next_cursor: place ? cursors.encode([place.at.toISOString(), place.id]) : null };
    },
  };
}
