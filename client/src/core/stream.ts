import { GuildhallError, strangeAnswer, unreachable } from './errors.js';
import { createEventParser } from './event-parser.js';
import type { ServerEvent, StreamOptions } from './options.js';
import { pause } from './retry.js';

type Open = (headers: Record<string, string>) => Promise<Response>;

/** The service sends an event or a heartbeat every 15 seconds. */
const LONGEST_SILENCE_MS = 60_000;
const LONGEST_PAUSE = 30;
/** About five minutes with exponential pauses. */
const PATIENCE = 14;
/** A connection that lasted this long resets the failure count, even without events. */
const LONG_ENOUGH_MS = 10_000;
const PASSING = [0, 429, 502, 503, 504];

/** Yields each event once. Resumes a broken stream until the service sends `end` or refuses. */
export async function* followEvents(
  name: string,
  open: Open,
  { signal, headers, onState }: StreamOptions,
): AsyncGenerator<ServerEvent<unknown>> {
  let lastId: string | undefined;
  let failures = 0;
  let connected = false;
  for (;;) {
    let opened: number | undefined;
    try {
      const resume = lastId === undefined ? undefined : { 'last-event-id': lastId };
      const response = await open({ ...headers, ...resume });
      await requireEvents(name, response);
      connected = true;
      opened = performance.now();
      onState?.('open');
      for await (const step of readEvents(response, signal)) {
        lastId = step.lastId ?? lastId;
        if (!step.event) continue;
        failures = 0;
        if (step.event.event === 'end') return;
        yield { ...step.event, data: parseData(name, step.event.data) };
        // After an abort, events that have already arrived are dropped.
        signal?.throwIfAborted();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error) || !connected || failures >= PATIENCE) throw error;
    }
    signal?.throwIfAborted();
    onState?.('lost');
    if (opened !== undefined && performance.now() - opened > LONG_ENOUGH_MS) failures = 0;
    if (failures > PATIENCE) throw unreachable(name, undefined);
    if (failures > 0) await pause(Math.min(2 ** (failures - 1), LONGEST_PAUSE), signal);
    failures += 1;
  }
}

/** Rejects other content types, because a proxy's page would never produce an event. */
async function requireEvents(name: string, response: Response): Promise<void> {
  if (response.body && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) return;
  await response.body?.cancel().catch(() => {});
  throw strangeAnswer(response, name, 'The answer is no stream of events');
}

function parseData(operation: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GuildhallError({ status: 200, detail: 'The event is not JSON', operation, cause });
  }
}

/** Errors while reading are connection errors, so the stream can resume. */
const isPassing = (error: unknown) => !(error instanceof GuildhallError) || PASSING.includes(error.status);

interface Step {
  event?: ServerEvent<string>;
  lastId: string | undefined;
}

async function* readEvents(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Step> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  const parser = createEventParser();
  try {
    for (;;) {
      const { done, value } = await readOrTire(reader, signal);
      if (done) return;
      for (const event of parser.feed(decoder.decode(value, { stream: true })))
        yield { event, lastId: event.id };
      yield { lastId: parser.lastId() };
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Gives up on a silent connection, because a dropped one may never report an error. */
async function readOrTire(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Awaited<ReturnType<typeof reader.read>>> {
  let tire = () => {};
  const silence = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error('The stream fell silent')), LONGEST_SILENCE_MS);
    const stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    tire = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    tire();
  }
}
