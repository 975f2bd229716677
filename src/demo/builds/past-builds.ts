import type { BoardService } from '../../features/boards/index.js';
import { toUsd } from '../../features/builds/budget/budgets.js';
import { NO_BUDGET, saveWorkspaceBudget } from '../../features/builds/budget/budgets.service.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db } from '../../platform/database/database.js';
import { type PastBuild, pastBuildStore } from './past-builds.store.js';

const MOST = 120;
const LEAST_LEFT_USD = 5;
const MINUTE_MS = 60_000;
const FIELDS = 'branch,cost_usd,tokens_in,tokens_out,started_at,completed_at';
const CODERS = ['claude', 'claude', 'codex'];

interface ToldCard {
  id: string;
  ref: string;
  branch: string | null;
  cost_usd: number;
  tokens_in: number;
  tokens_out: number;
  completed_at: string | null;
}

interface DemoDeps {
  db: Db;
  clock: Clock;
  boards: BoardService;
}

/** Gives each card with a past build one attempt, so that lists and figures have a history. */
export async function seedPastBuilds(
  { db, clock, boards }: DemoDeps,
  admin: MemberCaller,
  projectId: string,
): Promise<void> {
  const { items } = await boards.findTasks(admin, { status: 'done', limit: MOST, with: FIELDS });
  const priced = (items as unknown as ToldCard[]).filter(({ branch, cost_usd }) => branch && cost_usd > 0);
  const builds = priced.map((card, at) => makeBuild(card, at, clock.now()));
  if (builds.length === 0) return;
  const store = pastBuildStore(db, admin.brandId);
  await store.insertPast(builds, projectId, admin.userId);
  const spent = toUsd(await store.bookPast(clock.now()));
  // Three quarters used, with enough left for the builds that visitors start.
  const month_usd = Math.max(Math.ceil((spent * 4) / 3), Math.ceil(spent) + LEAST_LEFT_USD);
  await inTransaction(db, (tx) =>
    saveWorkspaceBudget(tx, admin.brandId, { ...NO_BUDGET, month_usd }, clock.now()),
  );
}

function makeBuild(card: ToldCard, at: number, now: Date): PastBuild {
  const finishedAt = card.completed_at ? new Date(card.completed_at) : now;
  const minutes = 4 + ((at * 7) % 38);
  const failed = at % 9 === 8;
  return {
    buildId: newId(),
    taskId: card.id,
    ref: card.ref,
    coder: CODERS[at % CODERS.length]!,
    branch: card.branch!,
    outcome: failed ? 'failed' : 'succeeded',
    reason: failed ? 'Two tests of the checkout did not pass' : null,
    tokensIn: card.tokens_in,
    tokensOut: card.tokens_out,
    costUsd: card.cost_usd,
    startedAt: new Date(finishedAt.getTime() - minutes * MINUTE_MS),
    finishedAt,
  };
}
