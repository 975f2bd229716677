import { sql } from 'kysely';
import type { Db, Tx } from '../../../database/database.js';
import { inTransaction } from '../../../database/transaction.js';
import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import type { Log } from '../../../kernel/log.js';
import type { PassResult } from '../../../services/jobs.js';
import { ModelCallFailed, type ModelClient } from '../../../services/model.js';
import { lockAgent } from '../agent-lock.js';
import { memoryStore } from '../memory.store.js';
import { quoteLexeme } from '../search/lexemes.js';
import { readQueryTerms } from '../search/query-terms.js';
import { searchStore } from '../search/search.store.js';
import { type Claim, conversationQueue } from './conversations.store.js';
import { type Comparable, findSame } from './duplicates.js';
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
}

const MOST_PER_PASS = 1000;
/** A model takes its time: others need not wait for the slowest conversation. */
const AT_ONCE = 3;

/** Learns from every conversation that is due. The model is asked outside of any transaction; what it found is kept in one. */
export async function learnFromConversations(deps: LearningDeps, signal: AbortSignal): Promise<PassResult> {
  const queue = conversationQueue(deps.db);
  const result: PassResult = { processed: 0, failed: 0 };
  await queue.giveUpLost(deps.clock.now());
  const work = async () => {
    for (let i = 0; i < MOST_PER_PASS && !signal.aborted; i += 1) {
      const claim = await queue.claimDue(deps.clock.now());
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
      await keepMemories(tx, claim, extracted, model ? 'model' : 'rule-based', clock.now());
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

interface KnownMemory extends Comparable {
  memory_id: string;
  status: string;
}

/** A memory that is known already is verified instead of repeated; one that was archived or merged stays so. */
async function keepMemories(
  tx: Tx,
  claim: Claim,
  extracted: Extracted[],
  extractor: 'model' | 'rule-based',
  now: Date,
): Promise<void> {
  if (extracted.length === 0) return;
  await lockAgent(tx, claim.agent_id);
  const store = memoryStore(tx, claim.brand_id);
  for (const memory of extracted) {
    const same = findSame(memory, await listLike(tx, claim, memory));
    if (!same) {
      await store.insert(
        {
          ...memory,
          memoryId: newId(),
          agentId: claim.agent_id,
          sourceId: claim.source_id,
          conversationId: claim.conversation_id,
          extractor,
        },
        now,
      );
    } else if (same.status === 'active') {
      await sql`update memories set last_verified_at = ${now} where memory_id = ${same.memory_id}`.execute(
        tx,
      );
    }
  }
}

const MOST_COMPARED = 30;

async function listLike(
  tx: Tx,
  { brand_id: brandId, agent_id: agentId }: Claim,
  memory: Comparable,
): Promise<KnownMemory[]> {
  const terms = readQueryTerms(
    await searchStore(tx, brandId).analyse(`${memory.title} ${memory.body.slice(0, 1000)}`),
  );
  const stems = terms.flatMap(({ stem }) => (stem === undefined ? [] : `${quoteLexeme(stem)}:AB`));
  if (stems.length === 0) return [];
  const query = stems.join(' | ');
  const { rows } = await sql<KnownMemory>`
    select memory_id, title, body, status from memories
    where agent_id = ${agentId} and brand_id + 0 = ${brandId} and search @@ ${query}::tsquery
    order by ts_rank(search, ${query}::tsquery) desc, created_at desc
    limit ${MOST_COMPARED}`.execute(tx);
  return rows;
}
