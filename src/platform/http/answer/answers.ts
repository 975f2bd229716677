import { writeYaml } from './yaml.js';

export interface StreamContent {
  kind: 'stream';
  chunks: AsyncIterable<string | Uint8Array>;
  contentType: string;
  /** Ends an endless stream with a final message. */
  end?(): void;
}

/**
 * A response that a handler may return instead of plain data, which is sent as JSON with the declared success
 * status.
 */
export class Answer {
  constructor(
    readonly status: number,
    readonly content:
      | { kind: 'data'; data: unknown }
      | { kind: 'json'; json: string }
      | { kind: 'bytes'; bytes: Uint8Array | string; contentType: string }
      | StreamContent
      | { kind: 'empty' },
    readonly headers: Record<string, string | string[]> = {},
    /** For `ready` routes: when the response becomes outdated without any change. */
    readonly until?: Date,
  ) {}
}

export const answer = (status: number, data: unknown, headers?: Record<string, string | string[]>) =>
  new Answer(status, { kind: 'data', data }, headers);

export const answerUntil = (until: Date | undefined, data: unknown) =>
  new Answer(200, { kind: 'data', data }, {}, until);

export const noContent = (headers?: Record<string, string | string[]>) =>
  new Answer(204, { kind: 'empty' }, headers);

export const accepted = () => new Answer(202, { kind: 'empty' });

export const notModified = (headers: Record<string, string>) => new Answer(304, { kind: 'empty' }, headers);

export const bytes = (content: Uint8Array, contentType: string, headers?: Record<string, string>) =>
  new Answer(200, { kind: 'bytes', bytes: content, contentType }, headers);

export const text = (
  status: number,
  content: string,
  contentType: string,
  headers?: Record<string, string>,
) => new Answer(status, { kind: 'bytes', bytes: content, contentType }, headers);

/** Sends items that are already JSON, to avoid parsing and rendering them again. */
export const writtenItems = (items: readonly string[], rest: object) =>
  new Answer(200, { kind: 'json', json: `{"items":[${items.join()}],${JSON.stringify(rest).slice(1)}` });

export const jsonStream = (chunks: AsyncIterable<string>) =>
  new Answer(200, { kind: 'stream', chunks, contentType: CONTENT_TYPES.json });

export type Format = 'json' | 'yaml' | 'md';

export const CONTENT_TYPES: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
};

export function render(data: unknown, format: Format, markdown: (data: never) => string): string {
  if (format === 'json') return JSON.stringify(data);
  return format === 'yaml' ? writeYaml(data) : markdown(JSON.parse(JSON.stringify(data)) as never);
}

export interface ServerSentEvent {
  id?: string;
  event?: string;
  /** Without data, readers only record the id from which to resume. */
  data?: unknown;
}

const HEARTBEAT_MS = 15_000;

/** A server-sent event stream. Comments between events keep proxies from closing it. */
export function eventStream(events: AsyncIterable<ServerSentEvent>): Answer {
  const ending = new AbortController();
  return new Answer(
    200,
    {
      kind: 'stream',
      chunks: withHeartbeat(events, ending.signal),
      contentType: 'text/event-stream; charset=utf-8',
      end: () => ending.abort(),
    },
    { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
  );
}

function encode({ id, event, data }: ServerSentEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return data === undefined ? `${head}\n` : `${head}data: ${JSON.stringify(data)}\n\n`;
}

/** A random delay, so that readers do not all reconnect at once when the server stops. */
const retryHint = (): string => `retry: ${500 + Math.floor(Math.random() * 2000)}\n\n`;

async function* withHeartbeat(
  events: AsyncIterable<ServerSentEvent>,
  ending: AbortSignal,
): AsyncGenerator<string> {
  yield ': connected\n\n';
  const iterator = events[Symbol.asyncIterator]();
  let next = iterator.next();
  let timer: NodeJS.Timeout | undefined;
  let interrupt = () => {};
  const onEnding = () => interrupt();
  ending.addEventListener('abort', onEnding);
  try {
    while (true) {
      const result = await Promise.race([next, heartbeat()]);
      clearTimeout(timer);
      if (ending.aborted) {
        yield retryHint();
        return;
      }
      if (result === 'heartbeat') {
        yield ': still here\n\n';
      } else if (result.done) {
        return;
      } else {
        yield encode(result.value);
        next = iterator.next();
      }
    }
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', onEnding);
    // The pending next() may never settle, so the return is not awaited.
    next.catch(() => {});
    void iterator.return?.()?.catch?.(() => {});
  }

  function heartbeat(): Promise<'heartbeat'> {
    return new Promise((resolve) => {
      interrupt = () => resolve('heartbeat');
      if (ending.aborted) interrupt();
      timer = setTimeout(resolve, HEARTBEAT_MS, 'heartbeat').unref();
    });
  }
}
