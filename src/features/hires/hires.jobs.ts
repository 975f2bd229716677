import type { Clock } from '../../kernel/clock.js';
import type { Db } from '../../platform/database/database.js';
import type { JobDefinition, JobResult } from '../../platform/jobs/jobs.js';
import type { Outcome } from './hire-building.js';
import { BUILD_JOB, type HireService } from './hires.service.js';
import { hireStore } from './hires.store.js';

const RETRY_SECONDS = 30;
const BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export function hireJobs({
  db,
  clock,
  hires,
}: {
  db: Db;
  clock: Clock;
  hires: HireService;
}): JobDefinition[] {
  const store = hireStore(db);
  return [
    {
      name: BUILD_JOB,
      description: 'Sets up agents that were hired.',
      schedule: { everySeconds: RETRY_SECONDS },
      run: ({ signal }) => workOff((after) => store.listToBuild(after, BATCH), hires.build, signal),
    },
    {
      name: 'hire-reconcile',
      description: 'Ends hires whose time is over and clears what they left.',
      schedule: { everySeconds: RETRY_SECONDS },
      async run({ signal }) {
        const now = clock.now();
        const ended = await workOff((after) => store.listToDisable(after, now, BATCH), hires.end, signal);
        const cleared = await workOff((after) => store.listToClear(after, BATCH), hires.clear, signal);
        return { processed: ended.processed + cleared.processed, failed: ended.failed + cleared.failed };
      },
    },
  ];
}

/**
 * Tries each due hire once. Skips hires that another node has locked and waits for those at the end, so that
 * all due hires have been tried when the run finishes.
 */
async function workOff(
  list: (after: string) => Promise<string[]>,
  attempt: (hireId: string, wait: boolean) => Promise<Outcome>,
  signal: AbortSignal,
): Promise<JobResult> {
  const result: JobResult = { processed: 0, failed: 0 };
  const passedBy: string[] = [];
  const count = (outcome: Outcome) => {
    if (outcome === 'done') result.processed += 1;
    if (outcome === 'failed') result.failed += 1;
  };
  for (let ids = await list(BEFORE_ALL); ids.length > 0; ids = await list(ids.at(-1)!)) {
    for (const id of ids) {
      if (signal.aborted) return result;
      const outcome = await attempt(id, false);
      if (outcome === 'passed by') passedBy.push(id);
      else count(outcome);
    }
  }
  for (const id of passedBy) {
    if (signal.aborted) return result;
    count(await attempt(id, true));
  }
  return result;
}
