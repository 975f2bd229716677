import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '../../../kernel/access.js';
import { type LaggingReads, noLaggingReads } from '../../../kernel/lagging-reads.js';
import { type Answer, CONTENT_TYPES, type StreamContent } from '../answer/answers.js';
import type { EndStream } from './orderly-stop.js';

/** JSON that is written in pieces, held against its schema when it is whole. */
export async function* checked(
  { status, content }: Answer,
  check: (status: number, data: unknown) => void,
): AsyncGenerator<string | Uint8Array> {
  if (content.kind !== 'stream') return;
  const parts: Buffer[] = [];
  const isJson = content.contentType === CONTENT_TYPES.json;
  for await (const chunk of content.chunks) {
    if (isJson) parts.push(Buffer.from(chunk as Uint8Array));
    yield chunk;
  }
  if (isJson) check(status, JSON.parse(Buffer.concat(parts).toString()));
}

const TELLS = /^data:/m;

/** Who hears of something new asks for it next, and has to find it. */
export async function* withNews(
  { chunks }: StreamContent,
  caller: Caller,
  laggingReads: LaggingReads = noLaggingReads,
): AsyncGenerator<string | Uint8Array> {
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string' || TELLS.test(chunk)) await laggingReads.noteNews(caller);
    yield chunk;
  }
}

/** Whoever else waits comes between two pieces. */
export async function* inTurns(parts: Iterable<string>): AsyncGenerator<string> {
  for (const part of parts) {
    yield part;
    await turn();
  }
}

export const isEventStream = ({ contentType }: StreamContent) => contentType.startsWith('text/event-stream');

/** A reader that takes nothing does not hear that it is over. */
const LAST_WORD_MS = 1000;

/** Streams that end only when somebody ends them would hold up an orderly stop, so the server knows them. */
export function openStream(
  content: StreamContent,
  checkedChunks: StreamContent['chunks'] | undefined,
  openStreams: Set<EndStream>,
): Readable {
  const readable = Readable.from(checkedChunks ?? content.chunks, { objectMode: false });
  if (!isEventStream(content)) return readable;
  const endWithAWord = () => {
    if (!content.end) return void readable.destroy();
    content.end();
    setTimeout(() => readable.destroy(), LAST_WORD_MS).unref();
  };
  openStreams.add(endWithAWord);
  readable.once('close', () => openStreams.delete(endWithAWord));
  return readable;
}
