import { createInterface } from 'node:readline';
import { headersFor, isObject, type Message } from './headers.js';

interface Options {
  url: string;
  token: string;
  /** Headers that limit the tools. */
  headers: Record<string, string>;
  input: NodeJS.ReadableStream;
  signal: AbortSignal;
  write(line: string): unknown;
}

/** JSON-RPC error codes. */
const FAILED = -32000;
const NOT_JSON = -32700;
const NO_MESSAGE = -32600;

/**
 * Forwards each line as an HTTP request and writes each answer as a line. Requests run concurrently, after
 * `initialize` is answered.
 */
export async function serveStdio({ url, token, headers, input, signal, write }: Options): Promise<void> {
  const running = new Map<unknown, AbortController>();
  const underway = new Set<Promise<void>>();
  let version: string | undefined;
  let greeted: Promise<unknown> = Promise.resolve();

  const say = (message: unknown) => write(`${JSON.stringify(message)}\n`);
  const fail = (id: unknown, message: string, code = FAILED) =>
    id !== undefined && say({ jsonrpc: '2.0', id, error: { code, message } });

  async function forward(message: Message): Promise<void> {
    const { id, method } = message;
    const stop = new AbortController();
    if (id !== undefined && method !== undefined) running.set(id, stop);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, ...headersFor(message, version), authorization: `Bearer ${token}` },
        body: JSON.stringify(message),
        redirect: 'manual',
        signal: AbortSignal.any([signal, stop.signal]),
      });
      for await (const answer of readAnswers(response)) {
        if (method === 'initialize' && isObject(answer) && isObject(answer['result']))
          version = String(answer['result']['protocolVersion']);
        say(answer);
      }
    } catch (error) {
      // A client that canceled a request does not expect an answer.
      if (!stop.signal.aborted) fail(id, error instanceof Refusal ? error.message : `Cannot reach ${url}`);
    } finally {
      running.delete(id);
    }
  }

  function take(line: string): void {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return void fail(null, 'The message is not valid JSON', NOT_JSON);
    }
    if (!isObject(value)) return void fail(null, 'The message is not a JSON-RPC object', NO_MESSAGE);
    const message: Message = value;
    if (message.method === 'notifications/cancelled') running.get(message.params?.['requestId'])?.abort();
    const work = greeted.then(() => forward(message)).finally(() => underway.delete(work));
    underway.add(work);
    if (message.method === 'initialize') greeted = work;
  }

  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  signal.addEventListener('abort', () => lines.close(), { once: true });
  for await (const line of lines) take(line);
  await Promise.all(underway);
}

class Refusal extends Error {}

/** Yields one JSON answer, or several from an event stream; a notification has none. */
async function* readAnswers(response: Response): AsyncGenerator<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body) {
    yield* readEvents(response.body);
    return;
  }
  const text = await response.text();
  if (text === '') {
    if (!response.ok) throw new Refusal(`The service returned status ${response.status}`);
    return;
  }
  const answer = type.includes('json') ? (JSON.parse(text) as unknown) : undefined;
  if (isObject(answer) && 'jsonrpc' in answer) yield answer;
  else throw new Refusal(describe(response, answer));
}

function describe(response: Response, answer: unknown): string {
  const detail = isObject(answer) ? answer['detail'] : undefined;
  const sentence = typeof detail === 'string' ? detail : `The service returned status ${response.status}`;
  return response.status === 401 ? `${sentence}. Sign in with: guildhall login` : sentence;
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop()!;
    for (const block of blocks) {
      const data = block
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart());
      if (data.length > 0 && data.join('') !== '') yield JSON.parse(data.join('\n'));
    }
  }
}
