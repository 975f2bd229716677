import type { FileHandle } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { type Extracted, type MemoryDeps, shorten } from '../records/memory.record.js';
import { conversationStore } from './conversations.store.js';
import { holdsSecret, LINE_READERS, type Message } from './messages.js';
import {
  type FileProgress,
  findSourceFolder,
  listSessionFiles,
  openSessionFile,
  readSessionFile,
} from './session-files.js';
import { fileProgressStore, type SourceRow, sourceQueue } from './sources.store.js';

export interface PickupDeps extends Pick<MemoryDeps, 'db' | 'clock' | 'log' | 'sourcesDir'> {
  cards: FinishedCards;
}

const CARDS_AT_ONCE = 100;
/** A card may be committed a little later than its timestamp. Reading a card twice changes nothing. */
const OVERLAP_SECONDS = MINUTE;

export interface Collected extends JobResult {
  /** A file has more messages than may be pending. */
  heldBack: boolean;
}

/** Reads new conversations from every enabled source. Only one process reads a source at a time. */
export async function collectConversations(deps: PickupDeps, signal: AbortSignal): Promise<Collected> {
  const { db, clock, log } = deps;
  const queue = sourceQueue(db);
  const result: Collected = { processed: 0, failed: 0, heldBack: false };
  for (const sourceId of await queue.listEnabledIds()) {
    if (signal.aborted) break;
    try {
      await inTransaction(db, async (tx) => {
        const source = await queue.claim(tx, sourceId);
        if (!source) return;
        const reading =
          source.source_type === 'agentboard'
            ? await readCards(deps, tx, source)
            : await readFiles(deps, tx, source, signal);
        await queue.recordReading(tx, sourceId, reading, clock.now());
        result.heldBack ||= reading.heldBack ?? false;
      });
    } catch (error) {
      result.failed += 1;
      log.warn({ err: error, source: sourceId }, 'A conversation source could not be read');
      await queue.recordReading(db, sourceId, { error: 'The source could not be read' }, clock.now());
    }
  }
  return result;
}

interface Reading {
  error: string | null;
  readUntil?: Date | null;
  heldBack?: boolean;
}

async function readFiles(deps: PickupDeps, tx: Tx, source: SourceRow, signal: AbortSignal): Promise<Reading> {
  const place = await findSourceFolder(deps.sourcesDir, source.brand_id, source.config['path']);
  if (!place)
    return { error: 'The folder of this source is not there, or not inside the workspace’s own folder' };
  const known = await fileProgressStore(tx, source).list();
  let heldBack = false;
  for (const file of await listSessionFiles(place.folder)) {
    if (signal.aborted) break;
    const at = { home: place.home, path: join(place.folder, file), known };
    if (await readFile(deps, tx, source, at)) heldBack = true;
  }
  return { error: null, heldBack };
}

/** Returns true when the rest of the file was held back. */
async function readFile(
  { clock, log }: PickupDeps,
  tx: Tx,
  source: SourceRow,
  at: { home: string; path: string; known: Map<string, FileProgress> },
): Promise<boolean> {
  const conversations = conversationStore(tx, source.brand_id);
  const progress = fileProgressStore(tx, source);
  const readLine = LINE_READERS[source.source_type as keyof typeof LINE_READERS];
  const name = relative(at.home, at.path);
  let file: FileHandle | undefined;
  try {
    file = await openSessionFile(at.home, at.path);
    if (!file) return false;
    let before = at.known.get(name);
    for (let more = true; more; ) {
      const reading = await readSessionFile(file, before, readLine);
      more = reading.more;
      if (
        before &&
        reading.progress.readBytes === before.readBytes &&
        reading.progress.headHash === before.headHash
      )
        return false;
      if (reading.messages.length > 0) {
        if (await conversations.isFull(source.agent_id, source.source_type, name)) return true;
        await conversations.receive(
          {
            agentId: source.agent_id,
            sourceId: source.source_id,
            sourceType: source.source_type,
            externalId: name,
            messages: reading.messages,
            extent: 'more',
          },
          clock.now(),
        );
      }
      await progress.save(name, reading.progress);
      before = reading.progress;
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
    log.warn(
      { err: error, source: source.source_id },
      'A session file could not be read; it is tried again next time',
    );
  } finally {
    await file?.close();
  }
  return false;
}

/** A file error concerns one file; a failed statement ends the transaction. */
const isFileError = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException).syscall === 'string';

async function readCards({ cards, clock }: PickupDeps, tx: Tx, source: SourceRow): Promise<Reading> {
  const { brand_id: brandId, agent_id: agentId } = source;
  let after: { updatedAt: Date; id: string } | undefined = source.read_until
    ? {
        updatedAt: secondsFrom(source.read_until, -OVERLAP_SECONDS),
        id: '00000000-0000-0000-0000-000000000000',
      }
    : undefined;
  let last: FinishedCard | undefined;
  for (;;) {
    const page = await cards.listFinishedCards({ brandId, agentId, after, limit: CARDS_AT_ONCE });
    for (const card of page) {
      await conversationStore(tx, brandId).receive(
        {
          agentId,
          sourceId: source.source_id,
          sourceType: 'agentboard',
          externalId: card.id,
          messages: cardMessages(card),
          extent: 'whole',
        },
        clock.now(),
      );
    }
    last = page.at(-1) ?? last;
    if (page.length < CARDS_AT_ONCE || !last) return { error: null, readUntil: last?.updated_at ?? null };
    after = { updatedAt: last.updated_at, id: last.id };
  }
}

export interface FinishedCard {
  id: string;
  ref: string;
  board: string;
  title: string;
  instructions: string | null;
  result: string | null;
  completed_at: Date | null;
  updated_at: Date;
}

/** Provided by the boards feature: cards in `done` that are assigned to an agent, in the order of their last change. */
export interface FinishedCards {
  listFinishedCards(query: {
    brandId: number;
    agentId: string;
    after?: { updatedAt: Date; id: string };
    limit?: number;
  }): Promise<FinishedCard[]>;
}

const LONGEST_PART = 20_000;
const LONGEST_HEADING = 2000;
const CARD = /^Card (\S{1,100}) on the board /;

/** A finished card as a conversation: the task and its result. */
function cardMessages(card: FinishedCard): Message[] {
  const at = (card.completed_at ?? card.updated_at).toISOString();
  const title = card.title.replace(/\s+/g, ' ');
  const heading = `Card ${card.ref} on the board ${card.board.replace(/\s+/g, ' ')}: ${title}`;
  const part = (text: string | null) => (text ?? '').slice(0, LONGEST_PART).toWellFormed();
  return [
    { role: 'user', content: `${heading}\n${part(card.instructions)}`.trim(), at },
    {
      role: 'assistant',
      content: part(card.result).trim() || 'The card was finished without a written result.',
      at,
    },
  ];
}

function readHeading(content: string): { ref: string; title: string } | undefined {
  const line = content.slice(0, LONGEST_HEADING).split('\n', 1)[0]!;
  const start = CARD.exec(line);
  const colon = start ? line.indexOf(': ', start[0].length) : -1;
  return start && colon >= 0 ? { ref: start[1]!, title: line.slice(colon + 2) } : undefined;
}

/** Without a model, records only that the card was completed and its result. */
export function summariseCard(messages: readonly Message[]): Extracted[] {
  const [asked, done] = messages;
  const heading = asked && readHeading(asked.content);
  if (!heading || !done) return [];
  const { ref, title } = heading;
  const body = shorten(done.content, 2000);
  if (holdsSecret(body) || holdsSecret(title)) return [];
  return [
    {
      kind: 'summary',
      title: shorten(`Finished ${ref}: ${title}`, 200),
      body,
      description: null,
      tags: [],
      confidence: 0.7,
      importance: 'normal',
      excerpt: shorten(asked.content, 1200),
    },
  ];
}
