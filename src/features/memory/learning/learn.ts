import { newId } from '../../../kernel/ids.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { ModelCallFailed, type ModelClient } from '../../../platform/model/model.js';
import { lockAgent } from '../agents/agents.store.js';
import {
  type CreatedMemory,
  type Extracted,
  type MemoryDeps,
  notifyCreated,
} from '../records/memory.record.js';
import { type KnownMemory, memoryStore } from '../records/memory.store.js';
import { type Comparable, findSame } from '../search/similar.js';
import { type Claim, conversationQueue, type Due } from './conversations.store.js';
import type { Message } from './messages.js';
import { countForOneCall, extractByModel, UnreadableExtraction } from './model-extractor.js';
import { summariseCard } from './pickup.js';
import { extractByRules } from './rule-extractor.js';

export interface LearningDeps extends Pick<MemoryDeps, 'db' | 'clock' | 'log' | 'model' | 'outbox'> {
  /** Returns the IDs of the agent's memories, of any status, that say nearly the same as the text. */
  findLike(brandId: number, agentId: string, text: string, limit: number): Promise<string[]>;
}

const MOST_PER_PASS = 1000;
/** Concurrent extractions, so that one slow model call does not block all conversations. */
const AT_ONCE = 3;

/** Learns from every due conversation. The model is called outside of transactions; its results are saved in one. */
export async function learnFromConversations(
  deps: LearningDeps,
  signal: AbortSignal,
  due: Due,
): Promise<JobResult> {
  const queue = conversationQueue(deps.db);
  const result: JobResult = { processed: 0, failed: 0 };
  await queue.giveUpLost(deps.clock.now());
  const work = async () => {
    for (let i = 0; i < MOST_PER_PASS && !signal.aborted; i += 1) {
      const claim = await queue.claimDue(due, deps.clock.now());
      if (!claim) return;
      const learned = await learnFrom(deps, claim, signal);
      if (learned) result.processed += 1;
      else result.failed += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return result;
}

async function learnFrom(deps: LearningDeps, claim: Claim, signal: AbortSignal): Promise<boolean> {
  const { db, clock, log, model } = deps;
  const messages = claim.pending.slice(0, countForOneCall(claim.pending));
  try {
    const extracted = await extract(model, claim, messages, signal);
    await inTransaction(db, async (tx) => {
      if (!(await conversationQueue(tx).holdsClaim(claim))) return;
      await keepMemories(deps, tx, claim, extracted, model ? 'model' : 'rule-based');
      await conversationQueue(tx).complete(claim, messages.length, clock.now());
    });
    return true;
  } catch (error) {
    log.warn(
      { err: error, conversation: claim.conversation_id, attempt: claim.attempts },
      'A conversation could not be learned from',
    );
    await conversationQueue(db).fail(claim, describeFailure(error), clock.now());
    return false;
  }
}

async function extract(
  model: ModelClient | undefined,
  claim: Claim,
  messages: Message[],
  signal: AbortSignal,
): Promise<Extracted[]> {
  if (model) return extractByModel(model, messages, signal);
  const summary = claim.source_type === 'agentboard' ? summariseCard(messages) : [];
  return [...summary, ...extractByRules(messages)];
}

/** Only known messages: an unexpected error may contain private text. */
const describeFailure = (error: unknown): string =>
  error instanceof ModelCallFailed || error instanceof UnreadableExtraction
    ? error.message
    : 'The conversation could not be learned from';

/**
 * Verifies a known memory instead of repeating it; an archived or merged one stays as it is. Memories from a guest's words are
 * compared only with each other.
 */
async function keepMemories(
  deps: LearningDeps,
  tx: Tx,
  claim: Claim,
  extracted: Extracted[],
  extractor: 'model' | 'rule-based',
): Promise<void> {
  if (extracted.length === 0) return;
  await lockAgent(tx, claim.agent_id);
  const now = deps.clock.now();
  const store = memoryStore(tx, claim.brand_id);
  const kept: KnownMemory[] = [];
  const created: CreatedMemory[] = [];
  for (const memory of extracted) {
    const known = [...(await listLike(deps, tx, claim, memory, now)), ...kept];
    const same = findSame(
      memory,
      known.filter(({ from_guest }) => from_guest === claim.from_guest),
    );
    if (!same) {
      const learned = {
        ...memory,
        memoryId: newId(),
        agentId: claim.agent_id,
        sourceId: claim.source_id,
        conversationId: claim.conversation_id,
        extractor,
        fromGuest: claim.from_guest,
      };
      const row = await store.insert(learned, now);
      if (!row) continue;
      kept.push(row);
      created.push(learned);
    } else if (same.status === 'active') {
      await store.verify(same.memory_id, now);
    }
  }
  await notifyCreated(deps.outbox, tx, claim.brand_id, created, now);
}

const MOST_COMPARED = 30;
const MOST_COMPARED_TEXT = 1000;

async function listLike(
  { findLike }: LearningDeps,
  tx: Tx,
  { brand_id: brandId, agent_id: agentId }: Claim,
  { title, body }: Comparable,
  now: Date,
): Promise<KnownMemory[]> {
  const text = `${title} ${body.slice(0, MOST_COMPARED_TEXT)}`;
  return memoryStore(tx, brandId).listByIds(await findLike(brandId, agentId, text, MOST_COMPARED), now);
}
