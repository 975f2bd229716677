import type { MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import { mayDoMoreThanRead } from '../../../platform/http/request/authentication.js';
import type { CommentListener } from '../../boards/index.js';
import type { Attempts } from '../lifecycle/attempts.js';
import type { BuildDeps } from '../record/build-deps.js';
import { buildStore } from '../record/builds.store.js';
import type { ReviewService } from './review.service.js';

interface MentionReviewDeps extends BuildDeps {
  attempts: Attempts;
  reviews: ReviewService;
}

const ANY_AGENT = 'agent';
const LONGEST_COMMENT = 20_000;

/**
 * A comment that mentions the agent starts a rework of a build that waits for review. Only people can do
 * this, or two agents could keep each other at work.
 */
export function createMentionReviews(deps: MentionReviewDeps): CommentListener {
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
    if (!inbox.mentions(body, await namesFor(caller.brandId, cardId))) return;
    if (!(await attempts.mayFollow(build))) return;
    try {
      const comments = [{ body: body.slice(0, LONGEST_COMMENT).toWellFormed() }];
      // The comment itself has already notified people.
      await reviews.review(caller, build.build_id, { decision: 'rework', comments }, { quiet: true });
    } catch (error) {
      // The comment is kept even if no rework starts.
      if (!(error instanceof ApiError)) throw error;
      log.info(
        { build: build.build_id, reason: error.message },
        'A comment mentioned the agent, but no rework started',
      );
    }
  };
}

const mayReview = (caller: MemberCaller): boolean =>
  caller.role !== 'guest' &&
  caller.agent === null &&
  (caller.kind === 'session' || (caller.kind === 'pat' && mayDoMoreThanRead(caller.scopes)));
