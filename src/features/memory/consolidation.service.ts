import type { MemberCaller } from '../../kernel/access.js';
import { actorIdsOf } from '../../kernel/actors.js';
import { newId } from '../../kernel/ids.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Tx } from '../../platform/database/database.js';
import type { JobResult } from '../../platform/jobs/jobs.js';
import { lockAgent } from './agents/agents.store.js';
import {
  consolidationStore,
  type Learning,
  listAgentsWithGroups,
  type PatternText,
  type SourceText,
} from './consolidation.store.js';
import { memoryNotFound, nothingToUnmerge } from './memory.errors.js';
import {
  BODY_LENGTH,
  type CreatedMemory,
  IMPORTANCE,
  type Importance,
  type MemoryDeps,
  notifyCreated,
  shorten,
  toRecord,
} from './records/memory.record.js';
import { memoryStore } from './records/memory.store.js';

export function createConsolidation({ db, clock, log, outbox }: MemoryDeps) {
  async function consolidateAgent(tx: Tx, brandId: number, agentId: string): Promise<number> {
    await lockAgent(tx, agentId);
    const now = clock.now();
    const drafts = groupLearnings(await consolidationStore(tx, brandId).listLearnings(agentId, now));
    const patterns: CreatedMemory[] = [];
    for (const draft of drafts) patterns.push(await mergeInto(tx, brandId, agentId, draft, now));
    await notifyCreated(outbox, tx, brandId, patterns, now);
    return drafts.length;
  }

  async function mergeInto(
    tx: Tx,
    brandId: number,
    agentId: string,
    { sources, ...draft }: PatternDraft,
    now: Date,
  ): Promise<CreatedMemory> {
    const pattern = { ...draft, memoryId: newId(), agentId, kind: 'pattern' as const, description: null };
    await memoryStore(tx, brandId).insert({ ...pattern, mergedFrom: sources }, now);
    await consolidationStore(tx, brandId).merge(sources, pattern.memoryId, now);
    return pattern;
  }

  return {
    async consolidateAll(signal: AbortSignal): Promise<JobResult> {
      const result: JobResult = { processed: 0, failed: 0 };
      for (const { agent_id: agentId, brand_id: brandId } of await listAgentsWithGroups(
        db,
        FEWEST_LEARNINGS,
      )) {
        if (signal.aborted) break;
        try {
          result.processed += await inTransaction(db, (tx) => consolidateAgent(tx, brandId, agentId));
        } catch (error) {
          result.failed += 1;
          log.error({ err: error, agent: agentId }, 'Memories could not be consolidated');
        }
      }
      return result;
    },

    /** Restores the sources, excludes them from further merging, and archives the pattern. */
    async unmerge(caller: MemberCaller, memoryId: string) {
      const { brandId } = caller;
      return inTransaction(db, async (tx) => {
        const now = clock.now();
        const pattern = await memoryStore(tx, brandId).find(memoryId, now);
        if (!pattern) throw memoryNotFound();
        await lockAgent(tx, pattern.agent_id);
        const store = consolidationStore(tx, brandId);
        const restored = await store.restoreSources(memoryId, now, actorIdsOf(caller));
        if (restored.length === 0) throw nothingToUnmerge();
        const archived = await store.archive(memoryId, now, actorIdsOf(caller));
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'memory.unmerged',
          subject: `memory:${memoryId}`,
          at: now,
        });
        const order = new Map(pattern.merged_from.map((id, i) => [id, i]));
        restored.sort((a, b) => (order.get(a.memory_id) ?? 0) - (order.get(b.memory_id) ?? 0));
        return { pattern: toRecord(archived, now), restored: restored.map((row) => toRecord(row, now)) };
      });
    },
  };
}

/**
 * Removes a memory's text from the patterns made of it, and deletes patterns without sources. The caller must
 * hold the agent's lock, so that no consolidation runs.
 */
export async function retractFromPatterns(
  tx: Tx,
  brandId: number,
  memoryId: string,
  now: Date,
): Promise<void> {
  const store = consolidationStore(tx, brandId);
  for (const pattern of await store.listPatternsOf(memoryId)) {
    const sources = await store.listTexts(pattern.merged_from);
    const removed = sources.find(({ id }) => id === memoryId);
    if (sources.length <= 1) await memoryStore(tx, brandId).remove(pattern.id);
    else if (removed) await store.rewritePattern(withoutSource(pattern, sources, removed), now);
  }
}

interface PatternDraft {
  title: string;
  body: string;
  tags: string[];
  confidence: number;
  importance: Importance;
  sources: string[];
}

const FEWEST_LEARNINGS = 3;
const LONGEST_TITLE = 200;

/**
 * Groups learnings that share a tag, starting with the most common tag. Each learning joins only one group.
 */
export function groupLearnings(learnings: readonly Learning[]): PatternDraft[] {
  const drafts: PatternDraft[] = [];
  let left = [...learnings];
  for (;;) {
    const tag = mostSharedTag(left);
    if (tag === undefined) return drafts;
    drafts.push(
      draftPattern(
        tag,
        left.filter(({ tags }) => tags.includes(tag)),
      ),
    );
    left = left.filter(({ tags }) => !tags.includes(tag));
  }
}

function mostSharedTag(learnings: readonly Learning[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { tags } of learnings) {
    for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const shared = [...counts].filter(([, count]) => count >= FEWEST_LEARNINGS);
  return shared.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0];
}

function draftPattern(tag: string, learnings: readonly Learning[]): PatternDraft {
  const mean = learnings.reduce((sum, { confidence }) => sum + confidence, 0) / learnings.length;
  return {
    title: patternTitle(tag, learnings),
    body: patternBody(learnings),
    tags: [...new Set(learnings.flatMap(({ tags }) => tags))],
    confidence: Math.round(mean * 10_000) / 10_000,
    importance: learnings.map(({ importance }) => importance).reduce(moreImportant),
    sources: learnings.map(({ id }) => id),
  };
}

const moreImportant = (a: Importance, b: Importance): Importance =>
  IMPORTANCE.indexOf(a) >= IMPORTANCE.indexOf(b) ? a : b;

const titleStart = (tag: string): string => `Pattern in ${tag.replace(/\s+/g, ' ').trim()}: `;

const patternTitle = (tag: string, learnings: readonly { title: string }[]): string =>
  shorten(`${titleStart(tag)}${learnings.map(({ title }) => title).join('; ')}`, LONGEST_TITLE);

const paragraph = ({ title, body }: { title: string; body: string }): string =>
  body.startsWith(title) ? `- ${body}` : `- ${title}: ${body}`;

const patternBody = (learnings: readonly { title: string; body: string }[]): string =>
  learnings.map(paragraph).join('\n').slice(0, BODY_LENGTH).toWellFormed();

/** Removes one source's text from the pattern and keeps text that a person added. */
function withoutSource(
  pattern: PatternText,
  sources: readonly SourceText[],
  removed: SourceText,
): PatternText {
  const left = sources.filter((source) => source !== removed);
  const kept = new Set(left.flatMap(({ tags }) => tags));
  const tag = pattern.tags.find((each) => pattern.title.startsWith(titleStart(each)));
  return {
    id: pattern.id,
    title: tag === undefined ? pattern.title : patternTitle(tag, left),
    body: pattern.body === patternBody(sources) ? patternBody(left) : cut(pattern.body, paragraph(removed)),
    tags: pattern.tags.filter((each) => kept.has(each) || !removed.tags.includes(each)),
    merged_from: pattern.merged_from.filter((id) => id !== removed.id),
  };
}

function cut(text: string, part: string): string {
  const framed = `\n${text}\n`;
  const at = framed.indexOf(`\n${part}\n`);
  if (at < 0) return text;
  return `${framed.slice(0, at)}${framed.slice(at + part.length + 1)}`.slice(1, -1);
}
