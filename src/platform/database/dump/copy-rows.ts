import pg from 'pg';

/**
 * COPY over the driver's own connection. The driver hands its messages to whatever question is at work, and a question is
 * anything with these handlers; rows never become objects, and no more of them is in memory than the network brought.
 */

interface Wire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
  stream: NodeJS.ReadableStream & {
    writableNeedDrain: boolean;
    once(event: 'drain', heard: () => void): void;
  };
}

abstract class CopyQuestion {
  readonly done: Promise<number>;
  #settle!: (rows: number) => void;
  #fail!: (error: Error) => void;
  #rows = 0;
  #error: Error | undefined;

  constructor(readonly text: string) {
    this.done = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    // Whoever waits for it hears of it; until then nobody may, and that is no fault.
    this.done.catch(() => {});
  }

  /** Called by the driver from here on. */
  submit(connection: Wire): void {
    connection.query(this.text);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(/\d+$/.exec(text)?.[0] ?? 0);
  }

  handleError(error: Error): void {
    this.#error = error;
    this.#fail(error);
  }

  handleReadyForQuery(): void {
    if (this.#error === undefined) this.#settle(this.#rows);
  }

  handleCopyInResponse(_connection: Wire): void {}
  handleCopyData(_message: { chunk: Buffer }, _connection: Wire): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}

class CopyOut extends CopyQuestion {
  readonly #waiting: Buffer[] = [];
  #wire: Wire | undefined;
  #wake = () => {};
  #ended = false;

  constructor(text: string) {
    super(text);
    const end = () => {
      this.#ended = true;
      // The end may have come with the last rows, and the next answer comes by the same way.
      this.#wire?.stream.resume();
      this.#wake();
    };
    this.done.then(end, end);
  }

  override handleCopyData({ chunk }: { chunk: Buffer }, connection: Wire): void {
    this.#wire = connection;
    // The driver reuses its buffer.
    this.#waiting.push(Buffer.from(chunk));
    connection.stream.pause();
    this.#wake();
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.#waiting.length > 0) yield Buffer.concat(this.#waiting.splice(0));
      else if (this.#ended) return void (await this.done);
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          this.#wire?.stream.resume();
        });
    }
  }
}

class CopyIn extends CopyQuestion {
  constructor(
    text: string,
    private readonly chunks: AsyncIterable<Buffer>,
  ) {
    super(text);
  }

  override handleCopyInResponse(connection: Wire): void {
    void this.#send(connection).catch((error: Error) => connection.sendCopyFail(error.message));
  }

  async #send(connection: Wire): Promise<void> {
    for await (const chunk of this.chunks) {
      connection.sendCopyFromChunk(chunk);
      if (connection.stream.writableNeedDrain)
        await new Promise<void>((resolve) => connection.stream.once('drain', resolve));
    }
    connection.endCopyFrom();
  }
}

const ask = (client: pg.Client, question: CopyQuestion) =>
  client.query(question as unknown as pg.Submittable);

export interface CopiedTable {
  /** Schema and name. */
  table: [string, string];
  columns: string[];
}

const quote = ({ table, columns }: CopiedTable) => {
  const names = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
  return `${table.map((part) => pg.escapeIdentifier(part)).join('.')} (${names})`;
};

/** The rows of a table in the text format of COPY, no faster than they are taken; `rows` is how many there were, at the end. */
export function copyOut(
  client: pg.Client,
  table: CopiedTable,
): { chunks: AsyncGenerator<Buffer>; rows: Promise<number> } {
  const question = new CopyOut(`copy ${quote(table)} to stdout`);
  ask(client, question);
  return { chunks: question.chunks(), rows: question.done };
}

/** Fills a table with rows in that format; answers how many there were. */
export async function copyIn(
  client: pg.Client,
  table: CopiedTable,
  chunks: AsyncIterable<Buffer>,
): Promise<number> {
  const question = new CopyIn(`copy ${quote(table)} from stdin`, chunks);
  ask(client, question);
  return question.done;
}
