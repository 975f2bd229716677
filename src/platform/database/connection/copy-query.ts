import pg from 'pg';

/** Rows in the form that `copy … from stdin (format binary)` takes; given as the only value of such a statement. */
export class CopiedRows {
  constructor(readonly bytes: Uint8Array) {}
}

/** What the driver's query is made of, as far as this one goes another way. */
interface Connection {
  sendCopyFromChunk(bytes: Uint8Array): void;
  endCopyFrom(): void;
}

const Query = pg.Query as unknown as new (
  text: string,
  values: undefined,
  callback: (error: Error | null, result: unknown) => void,
) => object;

/** A statement that is handed rows as bytes: the server neither parses nor converts them. */
export class CopyQuery extends Query {
  readonly #rows: CopiedRows;

  constructor(text: string, rows: CopiedRows, callback: (error: Error | null, result: unknown) => void) {
    super(text, undefined, callback);
    this.#rows = rows;
  }

  /** The server is ready to take them. */
  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFromChunk(this.#rows.bytes);
    connection.endCopyFrom();
  }
}
