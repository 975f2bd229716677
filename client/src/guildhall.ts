import { type Lists, type Methods, operations, type Streams } from './areas/index.generated.js';
import { type Connection, createConnection } from './core/connection.js';
import { iteratePages } from './core/iterate.js';
import type { Fields, Operation } from './core/operation.js';
import type { CallOptions, GuildhallOptions, ServerEvent, StreamOptions } from './core/options.js';
import { followEvents } from './core/stream.js';

/** Without an idempotency key, because a list sends several requests. */
type ListOptions = Omit<CallOptions, 'idempotencyKey'>;

/** The arguments are optional if no field is required. */
type Given<F, O> = Record<never, never> extends F ? [fields?: F, options?: O] : [fields: F, options?: O];

const table: Record<string, Operation> = operations;

/** Every operation is a method: `listBoardTasks`, `createTask` and so on. */
export interface Guildhall extends Methods {}

/** A client for a Guildhall service, with one set of credentials. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are put in place below, from the same generated table
export class Guildhall {
  readonly #connection: Connection;

  constructor(options: GuildhallOptions) {
    this.#connection = createConnection(options);
  }

  /** Yields each item of a list once, over all its pages. */
  iterate<N extends keyof Lists>(
    name: N,
    ...[fields, options = {}]: Given<Lists[N]['fields'], ListOptions>
  ): AsyncGenerator<Lists[N]['item'], void, undefined> {
    const operation = operationOf(name);
    const { pages } = operation;
    if (!pages) throw new TypeError(`${name} is not a list`);
    const read = (page: Fields) => this.#connection.call(name, operation, page, options);
    return iteratePages(pages, { ...fields }, read, options.signal) as AsyncGenerator<
      Lists[N]['item'],
      void,
      undefined
    >;
  }

  /** Yields each event once as it happens, and resumes a broken connection without a gap. */
  stream<N extends keyof Streams>(
    name: N,
    ...[fields, options = {}]: Given<Streams[N]['fields'], StreamOptions>
  ): AsyncGenerator<ServerEvent<Streams[N]['data']>, void, undefined> {
    const operation = operationOf(name);
    if (operation.answer !== 'events') throw new TypeError(`${name} is not a stream`);
    return this.#follow<Streams[N]['data']>(name, operation, { ...fields }, options);
  }

  #follow<T>(name: string, operation: Operation, fields: Fields, options: StreamOptions) {
    const open = (headers: Record<string, string>) =>
      this.#connection.open(name, operation, fields, { signal: options.signal, headers });
    return followEvents(name, open, options) as AsyncGenerator<ServerEvent<T>, void, undefined>;
  }

  static {
    for (const [name, operation] of Object.entries(table)) {
      const value =
        operation.answer === 'events'
          ? function (this: Guildhall, fields: Fields = {}, options: StreamOptions = {}) {
              return this.#follow(name, operation, fields, options);
            }
          : function (this: Guildhall, fields: Fields = {}, options: CallOptions = {}) {
              return this.#connection.call(name, operation, fields, options);
            };
      Object.defineProperty(Guildhall.prototype, name, { value, writable: true, configurable: true });
    }
  }
}

function operationOf(name: string): Operation {
  const operation = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!operation) throw new TypeError(`There is no operation ${name}`);
  return operation;
}
