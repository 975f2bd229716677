import type { FileHandle } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Clock, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { conversationStore } from './conversations.store.js';
import type { FinishedCard, FinishedCards } from './finished-cards.js';
import { cardMessages } from './finished-cards.js';
import { LINE_READERS } from './messages.js';
import { type FileProgress, readSessionFile } from './session-file.js';
import { findSourceFolder, listSessionFiles, openSessionFile } from './source-folder.js';
import { fileProgressStore, type SourceRow, sourceQueue } from './sources.store.js';

export interface PickupDeps {
  db: Db;
  clock: Clock;
  log: Log;
  sourcesDir: string;
  cards: FinishedCards;
}

const CARDS_AT_ONCE = 100;
/** A card may be committed a little later than the time it carries; what is read twice is the same conversation. */
const OVERLAP_SECONDS = MINUTE;

export interface Collected extends PassResult {
  /** Some file goes on, and waits until what was read of it has been learned. */
  heldBack: boolean;
}

/** Brings in what every enabled source has to say since the last time. One source at a time, one node each. */
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

/** Answers whether the file was held back. */
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

/** A file that vanishes or may not be read concerns itself alone; a failed statement ends the transaction. */
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
