import type { MemberCaller } from '../../../kernel/access.js';
import { actorOf } from '../../../kernel/actors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import { cardNotFound } from '../../boards/index.js';
import type { PullRequestsOfBuilds } from '../../builds/index.js';
import { ForgeFailed } from '../adapter/forge.js';
import type { ConnectedForge, ForgeAccess } from '../connection/forge-access.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import {
  hasOpenOne,
  hostFailed,
  isBeingOpened,
  nameOne,
  noForge,
  noPullRequest,
  notOfRepository,
  tiedElsewhere,
  unknownPullRequest,
} from '../forges.errors.js';
import type { PullRequestInput, PullRequestView } from '../forges.schemas.js';
import { closedError, type SyncCard } from './card-sync.js';
import { askHost, type HostAnswer, limitPullRequest } from './host-answer.js';
import { OPENING_JOB } from './open-pull-requests.js';
import { openingStore } from './openings.store.js';
import { isOpen, type PullRequestRow, pullRequestStore } from './pull-requests.store.js';

interface PullRequestDeps extends Pick<ForgeOptions, 'db' | 'clock' | 'boards'> {
  access: Pick<ForgeAccess, 'find'>;
  syncCard: SyncCard;
}

/** A pull request that a person wants to attach to a card. */
export interface FoundPullRequest {
  projectId: string;
  answer: HostAnswer;
}

export type PullRequestService = ReturnType<typeof createPullRequestService>;

export function createPullRequestService({ db, clock, boards, access, syncCard }: PullRequestDeps) {
  async function findForge(caller: MemberCaller, taskId: string): Promise<ConnectedForge> {
    const { project_id: projectId } = await boards.getCard(caller, taskId);
    const connected = projectId === null ? undefined : await access.find(caller.brandId, projectId);
    if (!connected) throw noForge();
    return connected;
  }

  async function look(
    caller: MemberCaller,
    taskId: string,
    input: PullRequestInput,
  ): Promise<FoundPullRequest> {
    const { url, number } = input;
    if ((url === undefined) === (number === undefined)) throw nameOne();
    const connected = await findForge(caller, taskId);
    const wanted = number ?? numberIn(url!, connected);
    if (wanted === undefined) throw notOfRepository(connected.repository);
    try {
      const { answer } = await askHost(connected, clock, wanted);
      if (!answer) throw unknownPullRequest(connected.repository);
      if (url !== undefined && !isAddressOf(url, answer.pullRequest.url))
        throw notOfRepository(connected.repository);
      return { projectId: connected.projectId, answer };
    } catch (error) {
      throw error instanceof ForgeFailed ? hostFailed(error) : error;
    }
  }

  return {
    async get(caller: MemberCaller, taskId: string): Promise<PullRequestView> {
      await boards.getCard(caller, taskId);
      const row = await pullRequestStore(db, caller.brandId).findOfCard(taskId);
      if (row) return view(row);
      const opening = await openingStore(db, caller.brandId).findOfCard(taskId);
      throw noPullRequest(opening?.error ?? undefined);
    },

    look,

    async tie(
      caller: MemberCaller,
      taskId: string,
      input: PullRequestInput,
      seen?: FoundPullRequest,
    ): Promise<PullRequestView> {
      const { projectId, answer } = seen ?? (await look(caller, taskId, input));
      const { brandId } = caller;
      const { number, state } = answer.pullRequest;
      return inTransaction(db, async (tx) => {
        const found = await boards.findCardToBuild(brandId, taskId, tx);
        if (!found) throw cardNotFound();
        const openings = openingStore(tx, brandId);
        if (found.card.project_id !== projectId || !(await openings.hasForge(projectId))) throw noForge();
        const store = pullRequestStore(tx, brandId);
        const before = await store.lock(projectId, number);
        if (before && before.card_id !== taskId) throw tiedElsewhere();
        if (!before) {
          const open = await store.findOpenOfCard(taskId);
          if (open) throw hasOpenOne(open.number);
          if (isOpen({ state }) && (await openings.findOfCard(taskId))) throw isBeingOpened();
          const { mergeable: _, merged_at: __, ...facts } = limitPullRequest(answer.pullRequest);
          const made = { ...facts, project_id: projectId, number, card_id: taskId, build_id: null };
          const card_status = found.card.status;
          const isNew = await store.insert({
            ...made,
            pushed_sha: null,
            card_status,
            created_at: clock.now(),
          });
          if (!isNew) throw tiedElsewhere();
        }
        await syncCard(tx, { brand_id: brandId, project_id: projectId, number }, answer, {
          fresh: !before,
          actor: actorOf(caller),
        });
        return view((await store.find(projectId, number))!);
      });
    },
  };
}

/** Accepts addresses such as `https://host/owner/name/pull/7`. */
function numberIn(address: string, { repository, webUrl }: ConnectedForge): number | undefined {
  if (!URL.canParse(address)) return undefined;
  const { host, pathname } = new URL(address);
  if (URL.canParse(webUrl) && new URL(webUrl).host !== host) return undefined;
  const found = /^(.*)\/(?:pull|pulls|merge_requests)\/([1-9]\d{0,9})(?:\/|$)/.exec(pathname);
  const folder = found?.[1]?.replace(/\/-$/, '').toLowerCase();
  if (!found || !folder?.endsWith(`/${repository.toLowerCase()}`)) return undefined;
  const number = Number(found[2]);
  return number <= 2_147_483_647 ? number : undefined;
}

/** Matches the page itself or one below it, regardless of spelling. */
function isAddressOf(address: string, known: string): boolean {
  if (!URL.canParse(known)) return false;
  const spell = (text: string) => {
    const { host, pathname } = new URL(text);
    return `${host}${pathname.replace(/\/+$/, '')}/`.toLowerCase();
  };
  return spell(address).startsWith(spell(known));
}

const view = (row: PullRequestRow): PullRequestView => ({
  number: row.number,
  url: row.url,
  state: row.state,
  draft: row.state === 'draft',
  head: { branch: row.head_branch, sha: row.head_sha },
  base: { branch: row.base_branch, sha: row.base_sha },
  mergeable: row.mergeable,
  checks: row.checks,
  reviews: row.reviews,
  comments: row.comments,
  seen_at: row.seen_at?.toISOString() ?? null,
});

export const createPullRequestsOfBuilds = ({
  clock,
  jobs,
}: Pick<ForgeOptions, 'clock' | 'jobs'>): PullRequestsOfBuilds => ({
  hasForge: (within, { brand_id, project_id }) => openingStore(within, brand_id).hasForge(project_id),

  async findBranch(within, { brand_id, project_id, task_id }) {
    const open = await pullRequestStore(within, brand_id).findOpenOfCard(task_id);
    const isOurs = open?.project_id === project_id && open.build_id !== null;
    return isOurs ? open.head_branch : undefined;
  },

  async hasOpenPullRequest(within, { brand_id, task_id }) {
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

  async queueOpening(tx, build, branch) {
    const { brand_id, build_id, project_id, task_id: card_id, head_sha: commit_sha } = build;
    const openings = openingStore(tx, brand_id);
    if (commit_sha === null || !(await openings.hasForge(project_id))) return;
    await openings.put({ build_id, project_id, card_id, branch, commit_sha }, clock.now());
    await jobs.trigger(tx, OPENING_JOB);
  },
});
