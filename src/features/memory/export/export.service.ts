import { join } from 'node:path';
import { sql } from 'kysely';
import type { Db, Tx } from '../../../database/database.js';
import { inTransaction } from '../../../database/transaction.js';
import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import type { Log } from '../../../kernel/log.js';
import type { PassResult } from '../../../services/jobs.js';
import { lockAgent } from '../agent-lock.js';
import { DESCRIPTION_LENGTH, shorten, TITLE_LENGTH } from '../learning/extracted.js';
import { confidenceAt } from '../memory.record.js';
import { memoryStore } from '../memory.store.js';
import {
  type Correction,
  correctedFields,
  findEdits,
  type MemoryText,
  type PersonsEdits,
  stillSays,
} from './corrections.js';
import { joinFile, readIfThere, replaceFile, sizeAround, splitFile } from './memory-file.js';
import { buildSection, type Entry, type ListedMemory, parseSection } from './section.js';

/** Agents read a MEMORY.md up to 200 lines or 25 KB, whichever comes first. */
const MOST_BYTES = 25_000;
const MOST_LINES = 195;
const MOST_LISTED = 50;
const AGENTS_AT_ONCE = 200;
const ADDED_CONFIDENCE = 0.8;

interface LastExport {
  entries: Entry[];
  digest: string;
}

export function createExport({
  db,
  clock,
  log,
  agentsDir,
}: {
  db: Db;
  clock: Clock;
  log: Log;
  agentsDir: string;
}) {
  async function exportAgent(tx: Tx, brandId: number, agentId: string): Promise<void> {
    await lockAgent(tx, agentId);
    const now = clock.now();
    const path = join(agentsDir, agentId, 'MEMORY.md');
    const content = await readIfThere(path);
    const file = splitFile(content ?? Buffer.alloc(0));
    const last = await findLastExport(tx, agentId);
    if (file.section !== undefined && last) {
      const edits = findEdits(last.entries, last.digest, parseSection(file.section));
      await takeEdits(tx, brandId, agentId, edits, now);
    }
    const around = sizeAround(file);
    const section = buildSection(await listBest(tx, agentId, now), {
      bytes: MOST_BYTES - around.bytes,
      lines: MOST_LINES - around.lines,
    });
    const next = joinFile(file, section.text);
    if (!content?.equals(next)) await replaceFile(path, next);
    if (last?.digest !== section.digest) {
      await sql`
        insert into memory_exports (agent_id, brand_id, entries, digest, exported_at)
        values (${agentId}, ${brandId}, ${JSON.stringify(section.entries)}::jsonb, ${section.digest}, ${now})
        on conflict (agent_id) do update set entries = excluded.entries, digest = excluded.digest, exported_at = excluded.exported_at`.execute(
        tx,
      );
    }
  }

  async function takeEdits(
    tx: Tx,
    brandId: number,
    agentId: string,
    edits: PersonsEdits,
    now: Date,
  ): Promise<void> {
    for (const correction of edits.changed) await correct(tx, brandId, correction, now);
    for (const entry of edits.removed) {
      if (await findUnchanged(tx, brandId, entry))
        await memoryStore(tx, brandId).change(entry.id, { status: 'archived' }, now);
    }
    for (const { title, detail } of edits.added) {
      await memoryStore(tx, brandId).insert(
        {
          memoryId: newId(),
          agentId,
          kind: 'fact',
          title: shorten(title, TITLE_LENGTH),
          body: detail || title,
          description: null,
          tags: [],
          confidence: ADDED_CONFIDENCE,
          importance: 'normal',
        },
        now,
      );
    }
  }

  return {
    /** Every agent that has memories, or had some when its file was last written. */
    async exportAll(signal: AbortSignal): Promise<PassResult> {
      const result: PassResult = { processed: 0, failed: 0 };
      for (let after = ''; !signal.aborted; ) {
        const agents = await listAgents(db, after);
        for (const { agent_id: agentId, brand_id: brandId } of agents) {
          if (signal.aborted) break;
          try {
            await inTransaction(db, (tx) => exportAgent(tx, brandId, agentId));
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

async function listAgents(db: Db, after: string): Promise<{ agent_id: string; brand_id: number }[]> {
  const { rows } = await sql<{ agent_id: string; brand_id: number }>`
    select agent_id, brand_id from agents
    where agent_id > ${after} and brand_id is not null
      and (exists (select from memories where memories.agent_id = agents.agent_id and status = 'active')
        or exists (select from memory_exports where memory_exports.agent_id = agents.agent_id))
    order by agent_id limit ${AGENTS_AT_ONCE}`.execute(db);
  return rows;
}

async function findLastExport(tx: Tx, agentId: string): Promise<LastExport | undefined> {
  const { rows } = await sql<LastExport>`
    select entries, digest from memory_exports where agent_id = ${agentId}`.execute(tx);
  return rows[0];
}

/** The best by confidence, laid out by age so that a new memory changes few lines. */
async function listBest(tx: Tx, agentId: string, now: Date): Promise<ListedMemory[]> {
  const { rows } = await sql<ListedMemory>`
    select id, kind, title, body, description from (
      select memory_id as id, kind, title, left(body, 2000) as body, description, created_at from memories
      where agent_id = ${agentId} and status = 'active'
      order by ${confidenceAt(now)} desc, memory_importance_rank(importance) desc, created_at desc, memory_id desc
      limit ${MOST_LISTED}
    ) best order by created_at, id`.execute(tx);
  return rows;
}

/** A person's line counts unless the memory was changed by somebody else after the line was written. */
async function findUnchanged(tx: Tx, brandId: number, entry: Entry): Promise<MemoryText | undefined> {
  const { rows } = await sql<MemoryText>`
    select title, body, description from memories
    where memory_id = ${entry.id} and brand_id = ${brandId} and status = 'active' for update`.execute(tx);
  return rows[0] && stillSays(entry, rows[0]) ? rows[0] : undefined;
}

async function correct(tx: Tx, brandId: number, correction: Correction, now: Date): Promise<void> {
  const memory = await findUnchanged(tx, brandId, correction.entry);
  if (!memory) return;
  const { title, body, description } = correctedFields(correction, memory);
  await memoryStore(tx, brandId).change(
    correction.entry.id,
    {
      title: shorten(title, TITLE_LENGTH),
      body,
      description: description === null ? null : shorten(description, DESCRIPTION_LENGTH),
    },
    now,
  );
}
