import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import type { Log } from '../../../kernel/log.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { ModelCallFailed, type ModelClient } from '../../../platform/model/model.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import { lockAgent } from '../agents/agents.store.js';
import { type CreatedMemory, tellCreated } from '../records/created-memories.js';
import { type KnownMemory, memoryStore } from '../records/memory.store.js';
import { type Comparable, findSame } from '../search/duplicates.js';
import { type Claim, conversationQueue, type Due } from './conversations.store.js';
import type { Extracted } from './extracted.js';
import { summariseCard } from './finished-cards.js';
import type { Message } from './messages.js';
import { countForOneCall, extractByModel, UnreadableExtraction } from './model-extractor.js';
import { extractByRules } from './rule-extractor.js';

export interface LearningDeps {
  db: Db;
  clock: Clock;
  log: Log;
  model: ModelClient | undefined;
  outbox: Pick<WebhookOutbox, 'tell'>;
  /** Memories of the agent that say nearly the same as the text, of any status, by their ids. */
  findLike(brandId: number, agentId: string, text: string, limit: number): Promise<string[]>;
}

const MOST_PER_PASS = 1000;
/** A model takes its time: others need not wait for the slowest conversation. */
const AT_ONCE = 3;

/** Learns from every conversation that is due. The model is asked outside of any transaction; what it found is kept in one. */
export async function learnFromConversations(
  deps: LearningDeps,
  signal: AbortSignal,
  due: Due,
): Promise<PassResult> {
  const queue = conversationQueue(deps.db);
  const result: PassResult = { processed: 0, failed: 0 };
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

/** Our own words only: an unexpected error may carry anything. */
const describeFailure = (error: unknown): string =>
  error instanceof ModelCallFailed || error instanceof UnreadableExtraction
    ? error.message
    : 'The conversation could not be learned from';

/**
 * A memory that is known already is verified instead of repeated; one that was archived or merged stays so. What comes of a
 * guest's words neither confirms what is known otherwise nor stands in its way.
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
  await tellCreated(deps.outbox, tx, claim.brand_id, created, now);
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
