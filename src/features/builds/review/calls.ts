import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import { mayDoMoreThanRead } from '../../../platform/http/request/authentication.js';
import type { InboxNotices } from '../../../platform/outbox/inbox-notices.js';
import type { BoardService, CommentListener } from '../../boards/index.js';
import type { MemoryService } from '../../memory/index.js';
import type { Attempts } from '../lifecycle/attempts.js';
import { buildStore } from '../record/builds.store.js';
import type { ReviewService } from './review.service.js';

interface CallDeps {
  db: Db;
  clock: Clock;
  log: Log;
  inbox: Pick<InboxNotices, 'calls'>;
  boards: Pick<BoardService, 'findCardToBuild'>;
  memory: Pick<MemoryService, 'listAgents'>;
  attempts: Pick<Attempts, 'mayFollow'>;
  reviews: Pick<ReviewService, 'review'>;
}

/** Whoever works on the card, whatever it is called. */
const ANY_AGENT = 'agent';
/** As much of a comment as a review takes. */
const LONGEST_COMMENT = 20_000;

/**
 * A comment that calls the agent, on a card whose last build waits for a review, is that review: it sends the build back with
 * what it says. Only of people who may review: guests, coders and agents of whomever speak, and begin nothing, or two of
 * them could keep each other at work.
 */
export function createCalls(deps: CallDeps): CommentListener {
  const { db, clock, log, inbox, boards, memory, attempts, reviews } = deps;

  async function namesFor(brandId: number, cardId: string): Promise<string[]> {
    const agentId = (await boards.findCardToBuild(brandId, cardId))?.card.assignee_agent_id;
    if (!agentId) return [ANY_AGENT];
    const known = (await memory.listAgents(brandId)).agents.find(({ agent_id }) => agent_id === agentId);
    return [ANY_AGENT, agentId, ...(known?.name ? [known.name] : [])];
  }

  return async (caller, cardId, body) => {
    if (!body.includes('@') || !mayReview(caller)) return;
    const build = await buildStore(db, caller.brandId).findLatestOfCard(cardId, clock.now());
    if (build?.status !== 'succeeded' || build.accepted_at || build.reworked_at) return;
    if (!inbox.calls(body, await namesFor(caller.brandId, cardId))) return;
    if (!(await attempts.mayFollow(build))) return;
    try {
      const comments = [{ body: body.slice(0, LONGEST_COMMENT).toWellFormed() }];
      // Whoever has to do with the card was told of the comment.
      await reviews.review(caller, build.build_id, { decision: 'rework', comments }, { quiet: true });
    } catch (error) {
      // The comment stands; what keeps the rework from beginning is what a review would have answered.
      if (!(error instanceof ApiError)) throw error;
      log.info({ build: build.build_id, reason: error.message }, 'A comment called the agent in vain');
    }
  };
}

const mayReview = (caller: MemberCaller): boolean =>
  caller.role !== 'guest' &&
  caller.agent === null &&
  (caller.kind === 'session' || (caller.kind === 'pat' && mayDoMoreThanRead(caller.scopes)));
