import type { EventEmitter } from 'node:events';
import pg from 'pg';

interface Shape {
  fields: unknown[];
  _parsers: unknown[];
  _prebuiltEmptyResultObject: object;
}

interface Result extends Shape {
  rows: unknown[];
  parseRow(values: unknown[]): unknown;
}

interface Connection {
  parsedStatements: Record<string, string>;
  describe(): void;
  close(what: { type: 'S'; name: string }): void;
}

export interface NamedQuery extends pg.QueryConfig {
  replaces?: string;
}

/** The internals of the driver's query that this class overrides. */
interface DriverQuery extends EventEmitter {
  name: string | undefined;
  _result: Result;
  _canceledDueToError: unknown;
  hasBeenParsed(connection: Connection): boolean;
  prepare(connection: Connection): void;
  handleRowDescription(message: { fields: unknown[] }): void;
  handleDataRow(message: { fields: unknown[] }): void;
}

type Callback = (error: Error | null, result: unknown) => void;

const Query = pg.Query as unknown as new (
  text: string,
  values: unknown[] | undefined,
  callback: Callback,
) => DriverQuery;

const shapesOf = new WeakMap<Connection, Map<string, Shape>>();
const silentAbout = new WeakMap<Connection, Connection>();

/** Returns the connection with a `describe` that does nothing. */
function undescribed(connection: Connection): Connection {
  const known = silentAbout.get(connection);
  if (known) return known;
  const silent = Object.create(connection, { describe: { value: () => {} } }) as Connection;
  silentAbout.set(connection, silent);
  return silent;
}

/** Sent together with the next statement, which saves a round trip. */
function forget(connection: Connection, name: string): void {
  connection.close({ type: 'S', name });
  delete connection.parsedStatements[name];
  shapesOf.get(connection)?.delete(name);
}

/**
 * Describes the columns of a named statement once per connection. This is safe, because the server refuses to
 * run a prepared statement whose result type has changed. Describing a card with 70 columns takes longer than
 * sending it.
 */
export class KnownShapeQuery extends Query {
  #shapes: Map<string, Shape> | undefined;
  readonly #replaces: string | undefined;

  constructor({ text, values, name, replaces }: NamedQuery, callback: Callback) {
    super(text, values, callback);
    this.name = name;
    this.#replaces = replaces;
  }

  override prepare(connection: Connection): void {
    if (this.#replaces !== undefined) forget(connection, this.#replaces);
    const shape = this.#findShape(connection);
    if (shape) Object.assign(this._result, shape);
    super.prepare(shape ? undescribed(connection) : connection);
  }

  #findShape(connection: Connection): Shape | undefined {
    if (this.name === undefined) return undefined;
    this.#shapes = shapesOf.get(connection) ?? new Map();
    shapesOf.set(connection, this.#shapes);
    return this.hasBeenParsed(connection) ? this.#shapes.get(this.name) : undefined;
  }

  override handleRowDescription(message: { fields: unknown[] }): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    if (this.name !== undefined)
      this.#shapes?.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }

  /** Collects rows without emitting an event for each. */
  override handleDataRow(message: { fields: unknown[] }): void {
    if (this._canceledDueToError) return;
    try {
      this._result.rows.push(this._result.parseRow(message.fields));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }
}
