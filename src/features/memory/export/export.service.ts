import { newId } from '../../../kernel/ids.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { lockAgent } from '../agents/agents.store.js';
import {
  BODY_LENGTH,
  type CreatedMemory,
  DESCRIPTION_LENGTH,
  type MemoryDeps,
  notifyCreated,
  shorten,
  TITLE_LENGTH,
} from '../records/memory.record.js';
import { memoryStore } from '../records/memory.store.js';
import {
  type Correction,
  correctedFields,
  findEdits,
  isCorrection,
  lineAfter,
  type MemoryText,
  type PersonsEdits,
  stillSays,
  type Written,
} from './corrections.js';
import { exportStore, listAgentsToExport, type RecordedExport } from './export.store.js';
import {
  buildSection,
  digestOf,
  type Entry,
  joinFile,
  listsTheSame,
  type MemoryFiles,
  memoryFiles,
  parseSection,
  sizeAround,
  splitFile,
} from './memory-file.js';

/** Agents read a MEMORY.md up to 200 lines or 25 KB, whichever comes first. */
const MOST_BYTES = 25_000;
const MOST_LINES = 195;
const MOST_LISTED = 50;
const AGENTS_AT_ONCE = 200;
const ADDED_CONFIDENCE = 0.8;
const MOST_TRIES = 3;

interface Prepared {
  digest: string;
  replaces: Buffer | undefined;
  content: Buffer;
}

/**
 * Writes the best memories into each agent's MEMORY.md, and takes over edits that a person made there. The edits and the new
 * content are committed first. Then the file is replaced, unless it changed since it was read. If the process dies in between, the
 * file still names a recorded export, so the next run knows which lines are new.
 */
export function createExport({
  db,
  clock,
  log,
  outbox,
  agentsDir,
  files = memoryFiles(agentsDir),
}: Pick<MemoryDeps, 'db' | 'clock' | 'log' | 'outbox' | 'agentsDir'> & { files?: MemoryFiles }) {
  async function exportAgent(brandId: number, agentId: string): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const prepared = await inTransaction(db, (tx) => prepare(tx, brandId, agentId));
      if (!prepared || (await inTransaction(db, (tx) => putInPlace(tx, brandId, agentId, prepared)))) return;
    }
    throw new Error('MEMORY.md is being changed by another program');
  }

  /** Undefined when the file is up to date. */
  async function prepare(tx: Tx, brandId: number, agentId: string): Promise<Prepared | undefined> {
    await lockAgent(tx, agentId);
    const now = clock.now();
    const store = exportStore(tx, brandId);
    const replaces = await files.read(agentId);
    const file = splitFile(replaces ?? Buffer.alloc(0));
    const last = await store.findLast(agentId);
    const present = last && (await takeEdits(tx, brandId, agentId, last, file.section, now));

    const around = sizeAround(file);
    const { best, total } = await store.listBest(agentId, MOST_LISTED, now);
    const room = { bytes: MOST_BYTES - around.bytes, lines: MOST_LINES - around.lines };
    const section = buildSection(best, room, total - best.length);
    if (last && listsTheSame(last.current.entries, section.entries)) {
      const same = joinFile(file, section.text(last.current.digest));
      if (replaces?.equals(same)) return undefined;
    }
    const digest = digestOf(section.entries, replaces);
    await store.record(agentId, { current: { entries: section.entries, digest }, replaced: present }, now);
    return { digest, replaces, content: joinFile(file, section.text(digest)) };
  }

  async function putInPlace(tx: Tx, brandId: number, agentId: string, prepared: Prepared): Promise<boolean> {
    await lockAgent(tx, agentId);
    const isCurrent = await exportStore(tx, brandId).isCurrent(agentId, prepared.digest);
    return !isCurrent || files.put(agentId, prepared);
  }

  /** Takes over a person's edits. Returns the entries of the file, under the export that it names. */
  async function takeEdits(
    tx: Tx,
    brandId: number,
    agentId: string,
    { current, replaced }: RecordedExport,
    section: string | undefined,
    now: Date,
  ): Promise<Written> {
    if (section === undefined) return current;
    const found = parseSection(section);
    const written = found.digest === replaced?.digest ? replaced! : current;
    const edits = findEdits(written, found);
    if (!edits) return written;
    return { digest: written.digest, entries: await keepEdits(tx, brandId, agentId, edits, now) };
  }

  async function keepEdits(
    tx: Tx,
    brandId: number,
    agentId: string,
    { lines, removed }: PersonsEdits,
    now: Date,
  ): Promise<Entry[]> {
    for (const entry of removed) {
      if (await findUnchanged(tx, brandId, entry))
        await memoryStore(tx, brandId).change(entry.id, { status: 'archived' }, now);
    }
    const present: Entry[] = [];
    const added: CreatedMemory[] = [];
    for (const line of lines) {
      if (isCorrection(line)) {
        await correct(tx, brandId, line, now);
        present.push(lineAfter(line));
      } else if (line.entry) present.push(line.entry);
      else {
        const memory = await add(tx, brandId, agentId, line, now);
        added.push(memory);
        present.push(entryOf(memory, line));
      }
    }
    await notifyCreated(outbox, tx, brandId, added, now);
    return present;
  }

  return {
    async readSection(brandId: number, agentId: string): Promise<string> {
      const { best, total } = await exportStore(db, brandId).listBest(agentId, MOST_LISTED, clock.now());
      const room = { bytes: MOST_BYTES, lines: MOST_LINES };
      return `${buildSection(best, room, total - best.length).plain}\n`;
    },

    async exportAll(signal: AbortSignal): Promise<JobResult> {
      const result: JobResult = { processed: 0, failed: 0 };
      for (let after = ''; !signal.aborted; ) {
        const agents = await listAgentsToExport(db, after, AGENTS_AT_ONCE);
        for (const { agent_id: agentId, brand_id: brandId } of agents) {
          if (signal.aborted) break;
          try {
            await exportAgent(brandId, agentId);
            result.processed += 1;
          } catch (error) {
            result.failed += 1;
            log.error({ err: error, agent: agentId }, 'MEMORY.md could not be written');
          }
        }
        if (agents.length < AGENTS_AT_ONCE) break;
        after = agents.at(-1)!.agent_id;
      }
      return result;
    },
  };
}

interface AddedLine {
  title: string;
  detail: string;
}

/** A line that a person added becomes a fact. */
async function add(
  tx: Tx,
  brandId: number,
  agentId: string,
  { title, detail }: AddedLine,
  now: Date,
): Promise<CreatedMemory> {
  const memory = {
    memoryId: newId(),
    agentId,
    kind: 'fact' as const,
    title: shorten(title, TITLE_LENGTH),
    body: (detail || title).slice(0, BODY_LENGTH).toWellFormed(),
    description: null,
    tags: [],
    confidence: ADDED_CONFIDENCE,
    importance: 'normal' as const,
  };
  await memoryStore(tx, brandId).insert(memory, now);
  return memory;
}

const entryOf = ({ memoryId: id }: CreatedMemory, { title, detail }: AddedLine): Entry => ({
  id,
  title,
  detail,
  origin: detail === '' ? 'same' : 'body',
});

/** Undefined when the memory was changed after the line was written: the newer change wins. */
async function findUnchanged(tx: Tx, brandId: number, entry: Entry): Promise<MemoryText | undefined> {
  const text = await exportStore(tx, brandId).findActiveText(entry.id);
  return text && stillSays(entry, text) ? text : undefined;
}

async function correct(tx: Tx, brandId: number, correction: Correction, now: Date): Promise<void> {
  const memory = await findUnchanged(tx, brandId, correction.entry);
  if (!memory) return;
  const { title, body, description } = correctedFields(correction, memory);
  await memoryStore(tx, brandId).change(
    correction.entry.id,
    {
      title: shorten(title, TITLE_LENGTH),
      body: body.slice(0, BODY_LENGTH).toWellFormed(),
      description: description === null ? null : shorten(description, DESCRIPTION_LENGTH),
    },
    now,
  );
}
