import type { DeskCaller } from '../../../kernel/access.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { noteFailedSetup } from '../analysis/analysis.store.js';
import {
  buildNotFound,
  checkLogFull,
  checkNotFound,
  checksDiffer,
  claimLost,
  emptyPiece,
  finishedByDesk,
  finishedOtherwise,
  logGap,
  notStarted,
  passedOtherwise,
} from '../builds.errors.js';
import type { BuildStatus, LogPage } from '../builds.schemas.js';
import { type ChecksVerdict, judgeChecks, nameSetup } from '../checks/check-rules.js';
import { type CheckFinish, type CheckReport, type CheckStart, hasFailed } from '../checks/checks.schemas.js';
import { type CheckRow, type CheckRunRow, checkRunStore } from '../checks/checks.store.js';
import type { Lifecycle } from '../lifecycle/advance.js';
import type { Attempts, NextAttempt } from '../lifecycle/attempts.js';
import type { Conclusion } from '../lifecycle/conclusion.js';
import { checkLogStore } from '../log/check-log.store.js';
import { fillPage, readable } from '../log/log.service.js';
import { digestOf, hashClaim } from '../record/build-access.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';

interface CheckDeps extends BuildDeps {
  lifecycle: Lifecycle;
  conclusion: Conclusion;
  attempts: Attempts;
}

export interface Claimed {
  caller: DeskCaller;
  buildId: string;
  claim: string | undefined;
}

const MOST_PIECES = 50_000;
const PAGE = 100;
/** Many programs prompt unless CI is set. */
const ENVIRONMENT = { CI: 'true' };

export function createCheckService({ db, clock, projects, lifecycle, conclusion, attempts }: CheckDeps) {
  async function open(tx: Tx, { caller, buildId, claim }: Claimed): Promise<CheckRunRow> {
    const run = await checkRunStore(tx, caller.brandId).lock(buildId, clock.now());
    if (!run && !(await buildStore(tx, caller.brandId).find(buildId, clock.now()))) throw buildNotFound();
    requireHeld(run, caller, claim);
    return run;
  }

  /** Also counts as a sign of life. */
  async function openWork(tx: Tx, claimed: Claimed): Promise<CheckRunRow> {
    const run = await open(tx, claimed);
    if (run.ended_at !== null) throw finishedByDesk();
    if (run.started_at === null) throw notStarted();
    const { brandId, deskId } = claimed.caller;
    await checkRunStore(tx, brandId).hear(deskId, [claimed.buildId], clock.now());
    return run;
  }

  async function findPlace(tx: Tx, { caller, buildId }: Claimed, name: string) {
    const place = await checkLogStore(tx, caller.brandId).findPlace(buildId, name);
    if (!place) throw checkNotFound();
    return place;
  }

  /** Runs before the transaction, because it may wait for the repository host. */
  async function foresee(
    { caller, buildId, claim }: Claimed,
    body: CheckFinish,
  ): Promise<NextAttempt | undefined> {
    const now = clock.now();
    const run = await checkRunStore(db, caller.brandId).find(buildId, now);
    if (!run?.live || !isHeld(run, caller, claim) || !judge(run, body).rework) return undefined;
    return attempts.prepareRetry((await buildStore(db, caller.brandId).find(buildId, now))!);
  }

  return {
    async start(claimed: Claimed): Promise<CheckStart> {
      const { caller, buildId } = claimed;
      const build = await buildStore(db, caller.brandId).find(buildId, clock.now());
      const secrets =
        build && (await projects.secrets.open(caller.brandId, build.project_id, ['setup', 'checks']));
      return inTransaction(db, async (tx) => {
        const run = await open(tx, claimed);
        if (run.ended_at !== null) throw finishedByDesk();
        const store = checkRunStore(tx, claimed.caller.brandId);
        if (run.started_at === null) await store.start(claimed.buildId, clock.now());
        const checks = await store.listChecks(claimed.buildId);
        return {
          build_id: claimed.buildId,
          head_sha: run.head_sha,
          setup: run.setup,
          checks: checks.map(({ name, command, minutes }) => ({ name, command, minutes })),
          env: { ...ENVIRONMENT, ...secrets?.checks },
          setup_env: secrets?.setup ?? {},
          secret_names: Object.keys({ ...secrets?.setup, ...secrets?.checks }),
        };
      });
    },

    /** Undefined when the claim does not belong to a check run. */
    async findCheckout({
      caller,
      buildId,
      claim,
    }: Claimed): Promise<{ build: BuildRow; sha: string } | undefined> {
      const now = clock.now();
      const run = await checkRunStore(db, caller.brandId).find(buildId, now);
      if (!run || !isHeld(run, caller, claim)) return undefined;
      requireHeld(run, caller, claim);
      const build = await buildStore(db, caller.brandId).find(buildId, now);
      return build && { build, sha: run.head_sha };
    },

    async appendLog(claimed: Claimed, name: string, seq: number, bytes: Buffer): Promise<{ next: number }> {
      if (bytes.length === 0) throw emptyPiece();
      await inTransaction(db, async (tx) => {
        await openWork(tx, claimed);
        const { position, log_seq } = await findPlace(tx, claimed, name);
        if (seq <= log_seq) return;
        if (log_seq >= MOST_PIECES) throw checkLogFull(MOST_PIECES);
        if (seq > log_seq + 1) throw logGap(log_seq + 1);
        const piece = { position, seq, bytes: bytes.length, body: readable(bytes) };
        await checkLogStore(tx, claimed.caller.brandId).append(claimed.buildId, piece, clock.now());
      });
      return { next: seq + 1 };
    },

    async report(claimed: Claimed, name: string, body: CheckReport): Promise<CheckReport> {
      await inTransaction(db, async (tx) => {
        await openWork(tx, claimed);
        const { position } = await findPlace(tx, claimed, name);
        requireHonest(name, body);
        await checkRunStore(tx, claimed.caller.brandId).report(claimed.buildId, position, body);
      });
      return body;
    },

    async finish(claimed: Claimed, body: CheckFinish): Promise<{ build_id: string; status: BuildStatus }> {
      const digest = digestOf(body);
      const { caller, buildId } = claimed;
      const next = await foresee(claimed, body);
      return lifecycle.within(db, async (tx) => {
        const now = clock.now();
        const build = await buildStore(tx, caller.brandId).lock(buildId, now);
        if (!build) throw buildNotFound();
        const run = await open(tx, claimed);
        if (run.ended_at !== null) {
          if (run.finish_digest !== digest) throw finishedOtherwise();
          return { build_id: buildId, status: build.status };
        }
        if (run.started_at === null) throw notStarted();
        const store = checkRunStore(tx, caller.brandId);
        const ends = matchEnds(await store.listChecks(buildId), body);
        if (!run.required && hasFailed(body.setup)) await noteFailedSetup(tx, build, nameSetup(body.setup));
        await store.finish(buildId, ends, { digest, setup: body.setup ?? null }, now);
        const ended = await conclusion.checksOver(tx, build, judge(run, body), next);
        return { build_id: buildId, status: ended.status };
      });
    },

    async readLog(
      brandId: number,
      buildId: string,
      name: string,
      { after = 0, limit = PAGE }: { after?: number; limit?: number },
    ): Promise<LogPage> {
      const found = await checkLogStore(db, brandId).read(buildId, name, after, limit);
      if (!found) {
        const build = await buildStore(db, brandId).find(buildId, clock.now());
        throw build ? checkNotFound() : buildNotFound();
      }
      const { chunks } = fillPage(found.state, after, limit, found.chunks);
      const next = chunks.at(-1)?.seq ?? after;
      return { chunks, next, finished: found.state.ended && next >= found.state.log_seq };
    },
  };
}

export type CheckService = ReturnType<typeof createCheckService>;

const isHeld = (run: CheckRunRow, caller: DeskCaller, claim: string | undefined): boolean =>
  claim !== undefined && run.desk_id === caller.deskId && run.claim_hash === hashClaim(claim);

/** Refuses runs that timed out or that the service closed. */
function requireHeld(
  run: CheckRunRow | undefined,
  caller: DeskCaller,
  claim: string | undefined,
): asserts run is CheckRunRow {
  const counts = run && (run.ended_at === null ? run.live : run.finish_digest !== null);
  if (!run || !counts || !isHeld(run, caller, claim)) throw claimLost();
}

const judge = (run: CheckRunRow, { checks, setup }: CheckFinish): ChecksVerdict =>
  judgeChecks(
    run,
    checks.map(({ exit_code = null, ...check }) => ({ ...check, exit_code })),
    setup,
  );

function matchEnds(checks: readonly CheckRow[], body: CheckFinish) {
  const told = new Map(body.checks.map((check) => [check.name, check]));
  if (told.size !== body.checks.length || told.size !== checks.length) throw checksDiffer();
  return checks.map(({ position, name }) => {
    const check = told.get(name);
    if (!check) throw checksDiffer();
    requireHonest(name, check);
    if (hasFailed(body.setup))
      return { position, status: 'skipped' as const, exit_code: null, seconds: null };
    return {
      position,
      status: check.status,
      exit_code: check.exit_code ?? null,
      seconds: check.seconds ?? null,
    };
  });
}

function requireHonest(name: string, { status, exit_code }: Pick<CheckReport, 'status' | 'exit_code'>): void {
  if (status === 'passed' && exit_code != null && exit_code !== 0) throw passedOtherwise(name);
}
