import { DAY, HOUR, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { sweepInBatches } from '../../../platform/jobs/sweep.js';
import { ForgeFailed } from '../adapter/forge.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { type Answer, askAbout, endsQuestions } from './asking.js';
import {
  claimProjects,
  type DueProject,
  deleteDeliveriesBefore,
  giveUpDeliveries,
  listOpenDeliveriesOf,
  listProjectsWithDeliveries,
  noteAnswer,
  noteLookedAt,
  type OpenDelivery,
} from './due.store.js';
import type { Following } from './following.js';
import type { ConnectedForge, ForgeAccess, IssuePass, Rework } from './neighbours.js';
import { pauseAfter } from './pauses.js';
import { isOpen, type PullRequestRow, pullRequestStore } from './pull-requests.store.js';
import { type Turns, watched } from './turns.js';
import { wishStore } from './wishes.store.js';

interface ForgePassDeps extends Pick<ForgeOptions, 'db' | 'clock' | 'log'> {
  access: ForgeAccess;
  follow: Following;
  rework: Rework;
  passIssues: IssuePass;
  turns: Turns;
}

/** Asks hosts what became of pull requests. */
export const LOOKING_JOB = 'forge-pass';

/** A little less than two minutes: the pass that finds it due comes some seconds later. */
const LOOK_SECONDS = 110;
const MOST_PROJECTS = 500;
const MOST_DELIVERIES = 1000;
/** Of one project at a time, beside those of which something is known to have changed: hosts count what they are asked. */
const MOST_DETAILED = 15;
const DELIVERY_HOURS = 6;
const MOST_LOOKS = 6;
const KEPT_DAYS = 7;
/** Pull requests of one project that are asked about at once. */
const AT_ONCE = 4;
const UNEXPECTED = 'Asking the host failed unexpectedly';

/**
 * Truth is what the host answers. Every project is asked by itself, so that a host which hangs keeps nobody waiting but its own.
 */
export function createForgePass({
  db,
  clock,
  log,
  access,
  follow,
  rework,
  passIssues,
  turns,
}: ForgePassDeps) {
  /** One pull request: everything that follows from what the host says of it. Throws where it is no use to ask on. */
  async function look(connected: ConnectedForge, row: PullRequestRow): Promise<void> {
    const { answer, failure } = await askAbout(connected, clock, row.number);
    if (answer) await settle(connected, row, answer);
    else await giveRest(row);
    if (failure) throw failure;
  }

  async function settle(connected: ConnectedForge, row: PullRequestRow, answer: Answer): Promise<void> {
    let failure: unknown;
    const planned = await rework.plan(row, answer, connected).catch((error: unknown) => {
      failure = error;
      return undefined;
    });
    await inTransaction(db, async (tx) => {
      // Nothing follows it any more once the host is disconnected.
      if (!(await wishStore(tx, row.brand_id).hasForge(row.project_id))) return;
      const followed = await follow(tx, row, answer);
      if (followed && planned !== undefined) await rework.begin(tx, followed.row, planned);
    });
    if (failure) throw failure;
  }

  /** The host does not know it, for now or any more. */
  const giveRest = (row: PullRequestRow) =>
    pullRequestStore(db, row.brand_id).lookAgain(
      row.project_id,
      row.number,
      row.look_attempts < MOST_LOOKS ? secondsFrom(clock.now(), HOUR) : null,
    );

  /** Those that the list shows to have changed, ended or come back, then those that were seen longest ago. */
  async function choose(connected: ConnectedForge, rows: PullRequestRow[], byHand: boolean) {
    const { forge, brandId, projectId } = connected;
    const listed = new Map((await forge.listOpenPullRequests()).map((each) => [each.number, each]));
    const known = new Set(rows.map(({ number }) => number));
    const pulls = [...listed.keys()].filter((number) => !known.has(number));
    const back = await pullRequestStore(db, brandId).listNamed(projectId, { pulls, shas: [] });
    const now = clock.now();
    const isDue = (row: PullRequestRow) => isOpen(row) || (row.look_at !== null && row.look_at <= now);
    const isNews = (row: PullRequestRow) => {
      const told = listed.get(row.number);
      return told ? told.head.sha !== row.head_sha || told.state !== row.state : isOpen(row);
    };
    const news = rows.filter(isNews);
    const rest = rows.filter((row) => !isNews(row) && isDue(row));
    return [...news, ...back, ...(byHand ? rest : rest.slice(0, MOST_DETAILED))];
  }

  async function lookAtAll(connected: ConnectedForge, rows: readonly PullRequestRow[]): Promise<void> {
    const left = [...rows];
    let failure: unknown;
    const lookAtSome = async () => {
      for (let row = left.shift(); row && !stopped; row = left.shift())
        try {
          await look(connected, row);
        } catch (error) {
          const endsAll = !(error instanceof ForgeFailed) || endsQuestions(error);
          if (endsAll) left.length = 0;
          if (endsAll || !failure) failure = error;
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lookAtSome));
    if (failure) throw failure;
  }

  async function askAll(due: DueProject, byHand: boolean, getsOn: () => void): Promise<void> {
    const connected = await find(due, getsOn);
    if (!connected) return;
    const followed = await pullRequestStore(db, due.brand_id).listFollowed(due.project_id);
    if (followed.length > 0) await lookAtAll(connected, await choose(connected, followed, byHand));
    if (connected.issues) await passIssues(connected);
  }

  /** What webhooks named; a delivery counts as looked at once the host has answered. */
  async function askNamed(due: DueProject, getsOn: () => void): Promise<void> {
    for (;;) {
      const deliveries = await listOpenDeliveriesOf(db, due, MOST_DELIVERIES);
      if (deliveries.length === 0 || stopped) return;
      const looked = () =>
        noteLookedAt(
          db,
          due,
          deliveries.map(({ delivery_id }) => delivery_id),
        );
      try {
        await askAbouts(due, deliveries, getsOn);
      } catch (error) {
        // What the token may not see it will not see the next time either.
        if (error instanceof ForgeFailed && !endsQuestions(error)) await looked();
        throw error;
      }
      await looked();
    }
  }

  async function askAbouts(due: DueProject, deliveries: OpenDelivery[], getsOn: () => void): Promise<void> {
    const connected = await find(due, getsOn);
    if (!connected) return;
    const rows = await pullRequestStore(db, due.brand_id).listNamed(due.project_id, {
      pulls: [...new Set(deliveries.flatMap(({ about }) => about.pulls ?? []))],
      shas: [...new Set(deliveries.flatMap(({ about }) => about.shas ?? []))],
    });
    await lookAtAll(connected, rows);
    if (connected.issues && deliveries.some(({ about }) => about.issues)) await passIssues(connected);
  }

  async function find({ brand_id, project_id }: DueProject, getsOn: () => void) {
    const found = await access.find(brand_id, project_id);
    return found && { ...found, forge: watched(found.forge, getsOn) };
  }

  async function noting(due: DueProject, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      await noteAnswer(db, due);
      await access.noteSuccess(due.project_id, clock.now());
      return true;
    } catch (error) {
      if (stopped) return false;
      if (!(error instanceof ForgeFailed)) log.error({ err: error, project: due.project_id }, UNEXPECTED);
      const failure = error instanceof ForgeFailed ? error : new ForgeFailed('unreachable', UNEXPECTED);
      const now = clock.now();
      await access.noteFailure(due.project_id, failure, now);
      await pauseAfter(db, due, failure, now);
      return false;
    }
  }

  async function sweep(now: Date, signal: AbortSignal): Promise<void> {
    await giveUpDeliveries(db, secondsFrom(now, -DELIVERY_HOURS * HOUR));
    const before = secondsFrom(now, -KEPT_DAYS * DAY);
    await sweepInBatches(signal, (limit) => deleteDeliveriesBefore(db, before, limit));
  }

  let stopped = false;

  return {
    /** By hand everything is asked now, else what is due or was named by a webhook. */
    async run({ signal, byHand = false }: { signal: AbortSignal; byHand?: boolean }): Promise<PassResult> {
      const now = clock.now();
      const next = secondsFrom(now, LOOK_SECONDS);
      const whole = await claimProjects(db, { now, next, byHand, limit: MOST_PROJECTS });
      const named = await listProjectsWithDeliveries(db, { now, byHand, limit: MOST_PROJECTS });
      const result = { processed: 0, failed: 0 };
      const begin = async (due: DueProject, kind: string, work: (getsOn: () => void) => Promise<void>) => {
        const went = await turns.begin(`${kind} ${due.project_id}`, (getsOn) =>
          noting(due, () => work(getsOn)),
        );
        if (went !== undefined) result[went ? 'processed' : 'failed'] += 1;
      };
      // What a webhook named does not wait for the rest of its project.
      await Promise.all([
        ...named.map((due) => begin(due, 'named', (getsOn) => askNamed(due, getsOn))),
        ...whole.map((due) => begin(due, 'all', (getsOn) => askAll(due, byHand, getsOn))),
      ]);
      await sweep(now, signal);
      return result;
    },

    stop(): void {
      stopped = true;
    },
  };
}
