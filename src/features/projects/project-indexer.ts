import { FairQueue } from '../../kernel/fair-queue.js';
import type { SessionLocks } from '../../platform/database/connection/session-locks.js';
import type { PassResult } from '../../platform/jobs/jobs.js';
import { type DueProject, indexQueue } from './indexing/index-queue.store.js';
import { createProjectRefresh, INDEX_CHANNEL, type Outcome, type RefreshOptions } from './project-refresh.js';

export interface IndexerOptions extends RefreshOptions {
  locks: SessionLocks;
}

/** What everybody who waits for news of a project hears; `wanted`: somebody asked for a pass. */
export interface IndexNews {
  project_id: string;
  wanted?: true;
}

/** So many repositories are looked at at once, and a quarter of them for one workspace: hosts that do not answer cost their own. */
const LOOKS = { places: 8, mostPerKey: 2 };
/** The next scheduled pass begins with what this one did not come to. */
const PASS_MS = 8 * 60_000;

/** Keeps the indexes of all projects. */
export function createProjectIndexer(options: IndexerOptions) {
  const { db, log, notifications, locks } = options;
  const refresh = createProjectRefresh(options);
  const turns = new FairQueue(LOOKS);

  /** Looks at projects, each when its turn has come, and takes more of them while it runs. */
  function openRun(unasked: boolean, signal: AbortSignal) {
    const result = { processed: 0, failed: 0 };
    const waiting = new Set<string>();
    const underWay = new Set<Promise<void>>();
    const patience = unasked ? AbortSignal.any([signal, AbortSignal.timeout(PASS_MS)]) : signal;

    async function refreshInTurn(project: DueProject): Promise<Outcome> {
      try {
        return await turns.run(
          String(project.brand_id),
          () => {
            waiting.delete(project.project_id);
            return locks.hold(`project-index ${project.project_id}`, signal, (until) =>
              refresh(project, unasked, until),
            );
          },
          patience,
        );
      } catch (error) {
        if (waiting.has(project.project_id) || signal.aborted) return 'nothing';
        throw error;
      }
    }

    function add(projects: readonly DueProject[]): void {
      for (const project of projects) {
        if (waiting.has(project.project_id)) continue;
        waiting.add(project.project_id);
        const looking = refreshInTurn(project).then((outcome) => {
          if (outcome === 'failed') result.failed++;
          else if (outcome === 'done') result.processed++;
        });
        underWay.add(looking);
        const leave = () => underWay.delete(looking);
        looking.then(leave, leave);
      }
    }

    async function finish(): Promise<PassResult> {
      const faults: unknown[] = [];
      while (underWay.size > 0)
        for (const end of await Promise.allSettled(underWay))
          if (end.status === 'rejected') faults.push(end.reason);
      if (faults.length > 0) throw faults[0];
      return result;
    }

    return { add, finish };
  }

  return {
    /** Looks at every repository. */
    async runAll(signal: AbortSignal): Promise<PassResult> {
      const pass = openRun(true, signal);
      pass.add(await indexQueue(db).listAll());
      return pass.finish();
    },

    /**
     * Works off what was asked for. What is asked for meanwhile is taken in: a pass that waits for a host that does not answer
     * keeps nobody else waiting.
     */
    async runWanted(signal: AbortSignal): Promise<PassResult> {
      const pass = openRun(false, signal);
      const takeIn = async () => {
        try {
          pass.add(await indexQueue(db).listOpen(['queued']));
        } catch (error) {
          // The next pass is asked for already, and finds the same.
          log.warn({ err: error }, 'What is to be indexed could not be listed');
        }
      };
      const unsubscribe = notifications.subscribe<IndexNews>(INDEX_CHANNEL, ({ wanted }) =>
        wanted ? takeIn() : undefined,
      );
      const forgetGap = notifications.onGap(() => void takeIn());
      try {
        pass.add(await indexQueue(db).listOpen(['queued', 'running']));
        return await pass.finish();
      } finally {
        unsubscribe();
        forgetGap();
      }
    },
  };
}
