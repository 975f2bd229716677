import { Answer } from './answers.js';

export interface ServerSentEvent {
  id?: string;
  event?: string;
  /** Without data nothing is told to the reader, but the id is where a broken stream goes on. */
  data?: unknown;
}

const HEARTBEAT_MS = 15_000;

/** Answers a long-lived stream of events; comments in between keep proxies from closing it. */
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

/** The last word when the server stops: readers come back after a while, and not all at once. */
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
    // The pending next() may never settle once its source has ended, so the return is not awaited.
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
