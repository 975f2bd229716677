import type { WayHome } from '../../builds/index.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { closedError } from './card-sync.js';
import { OPENING_JOB } from './open-pull-request.js';
import { openingStore } from './openings.store.js';
import { pullRequestStore } from './pull-requests.store.js';

/** What builds ask about the pull requests of their cards. */
export const createPullRequestsOfBuilds = ({
  clock,
  jobs,
}: Pick<ForgeOptions, 'clock' | 'jobs'>): WayHome => ({
  leadsOn: (within, { brand_id, project_id }) => openingStore(within, brand_id).hasForge(project_id),

  async findBranch(within, { brand_id, project_id, task_id }) {
    const open = await pullRequestStore(within, brand_id).findOpenOfCard(task_id);
    const isOurs = open?.project_id === project_id && open.build_id !== null;
    return isOurs ? open.head_branch : undefined;
  },

  async isFollowed(within, { brand_id, task_id }) {
    const open = await pullRequestStore(within, brand_id).findOpenOfCard(task_id);
    return open !== undefined && openingStore(within, brand_id).hasForge(open.project_id);
  },

  async isMerged(within, { brand_id, task_id, build_id, queued_at }) {
    const shown = await pullRequestStore(within, brand_id).findOfCard(task_id);
    if (shown?.state !== 'merged') return false;
    const mergedAt = shown.ended_at ?? shown.merged_at;
    return shown.build_id === build_id || mergedAt === null || queued_at <= mergedAt;
  },

  async findClosedSince(tx, { brand_id, task_id }, since) {
    const shown = await pullRequestStore(tx, brand_id).shareOfCard(task_id);
    if (shown?.state !== 'closed' || shown.superseded_by !== null) return undefined;
    return shown.ended_at !== null && shown.ended_at >= since ? closedError(shown) : undefined;
  },

  async pushed(tx, build, branch) {
    const { brand_id, build_id, project_id, task_id: card_id, head_sha: commit_sha } = build;
    const openings = openingStore(tx, brand_id);
    if (commit_sha === null || !(await openings.hasForge(project_id))) return;
    await openings.put({ build_id, project_id, card_id, branch, commit_sha }, clock.now());
    await jobs.trigger(tx, OPENING_JOB);
  },
});
