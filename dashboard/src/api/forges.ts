import type {
  ConnectForgeArguments,
  Forge,
  PullRequest,
  TiePullRequestArguments,
} from '../../../client/src/index.js';
import { faultOf, guildhall } from './client.js';

export type { Forge, PullRequest } from '../../../client/src/index.js';
export type ForgeKind = Forge['kind'];
export type PullCheck = PullRequest['checks'][number];
export type PullReview = PullRequest['reviews'][number];
export type PullComment = PullRequest['comments'][number];

/** Returns null for 404. */
async function orNothing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (faultOf(error).status === 404) return null;
    throw error;
  }
}

export const readForge = (project_id: string, signal?: AbortSignal): Promise<Forge | null> =>
  orNothing(guildhall.getForge({ project_id }, { signal }));

export const connectForge = (forge: ConnectForgeArguments) => guildhall.connectForge(forge);

export const disconnectForge = (project_id: string) => guildhall.disconnectForge({ project_id });

export const renewHookSecret = (project_id: string) => guildhall.renewHookSecret({ project_id });

export const readPullRequest = (task_id: string, signal?: AbortSignal): Promise<PullRequest | null> =>
  orNothing(guildhall.getPullRequest({ task_id }, { signal }));

export const tiePullRequest = (tie: TiePullRequestArguments) => guildhall.tiePullRequest(tie);
