import type { WayHome } from '../../builds/builds.service.js';
import type { ForgeOptions } from '../forges.options.js';
import { OPENING_JOB } from './opening.js';
import { pullRequestStore } from './pull-requests.store.js';
import { wishStore } from './wishes.store.js';

/** Where accepted work goes on, as builds ask it. */
export const createWayHome = ({ db, clock, jobs }: Pick<ForgeOptions, 'db' | 'clock' | 'jobs'>): WayHome => ({
  leadsOn: (within, { brand_id, project_id }) => wishStore(within, brand_id).hasForge(project_id),

  async findBranch({ brand_id, project_id, task_id }) {
    const open = await pullRequestStore(db, brand_id).findOpenOfCard(task_id);
    const isOurs = open?.project_id === project_id && open.build_id !== null;
    return isOurs ? open.head_branch : undefined;
  },

  async pushed(tx, build, branch) {
    const { brand_id, build_id, project_id, task_id: card_id, head_sha: commit_sha } = build;
    const wishes = wishStore(tx, brand_id);
    if (commit_sha === null || !(await wishes.hasForge(project_id))) return;
    await wishes.put({ build_id, project_id, card_id, branch, commit_sha }, clock.now());
    await jobs.trigger(tx, OPENING_JOB);
  },
});
