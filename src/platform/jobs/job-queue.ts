import { setTimeout as pause } from 'node:timers/promises';
import { Logger, parseCronItems, type Runner, run, type TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Log } from '../../kernel/log.js';
import { MOST_ATTEMPTS } from './add-job.js';
import type { JobDefinition } from './job-definition.js';
import { patientPool } from './patient-pool.js';

export interface QueueOptions {
  pool: Pool;
  log: Log;
  concurrency: number;
  pollIntervalMs: number;
  definitions(): JobDefinition[];
  work(definition: JobDefinition): Promise<void>;
}

const RESTART_PAUSE_MS = 2_000;

export interface JobQueue {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Keeps the queue's worker going: it ends itself when the database stays away, and is then started anew. */
export function createJobQueue(options: QueueOptions): JobQueue {
  const { log, concurrency } = options;
  let stopping: AbortController | undefined;
  let runner: Runner | undefined;
  let supervision: Promise<void> | undefined;

  const supervise = async (first: Runner, signal: AbortSignal): Promise<void> => {
    let next: Runner | undefined = first;
    while (!signal.aborted) {
      try {
        runner = next ?? (await startRunner(options));
        next = undefined;
        restartWhenStuck(runner, concurrency, log);
        // Stopped while it was starting: nobody else knows this one.
        if (signal.aborted) await runner.stop();
        await runner.promise;
      } catch (error) {
        log.error({ err: error }, 'Background work was interrupted');
      }
      runner = undefined;
      await pause(RESTART_PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };

  return {
    async start() {
      if (stopping) return;
      const controller = new AbortController();
      stopping = controller;
      try {
        supervision = supervise(await startRunner(options), controller.signal);
      } catch (error) {
        stopping = undefined;
        throw error;
      }
    },

    async stop() {
      stopping?.abort();
      stopping = undefined;
      await runner?.stop().catch(() => undefined);
      await supervision;
    },
  };
}

async function startRunner(options: QueueOptions): Promise<Runner> {
  const { pool, log, concurrency, pollIntervalMs, definitions, work } = options;
  const ended = new AbortController();
  const runner = await run({
    pgPool: patientPool(pool, { log, ended: ended.signal }),
    schema: 'graphile_worker',
    concurrency,
    pollInterval: pollIntervalMs,
    noHandleSignals: true,
    taskList: taskList(definitions(), work),
    parsedCronItems: cronItems(definitions()),
    logger: queueLogger(log),
  });
  runner.events.once('stop', () => ended.abort());
  return runner;
}

/**
 * A worker whose very first look failed keeps that failure and repeats it for ever. Once every worker has failed
 * twice in a row, this runner is ended, and the supervision starts one that asks afresh.
 */
function restartWhenStuck(runner: Runner, concurrency: number, log: Log): void {
  const limit = concurrency * 2;
  let failures = 0;
  const forget = () => {
    failures = 0;
  };
  runner.events.on('worker:getJob:empty', forget);
  runner.events.on('job:start', forget);
  runner.events.on('worker:getJob:error', () => {
    failures += 1;
    if (failures !== limit) return;
    log.warn('Background work cannot fetch its jobs; it is started anew');
    runner.stop().catch(() => undefined);
  });
}

/** A failure is thrown on, so that the job comes back with growing pauses. */
function taskList(
  definitions: JobDefinition[],
  work: (definition: JobDefinition) => Promise<void>,
): TaskList {
  return Object.fromEntries(definitions.map((definition) => [definition.name, () => work(definition)]));
}

/** The database keeps the one schedule, so each time comes once, however many nodes there are. */
function cronItems(definitions: JobDefinition[]) {
  return parseCronItems(
    definitions.flatMap(({ name, schedule }) =>
      schedule && 'cron' in schedule
        ? [
            {
              task: name,
              identifier: name,
              match: schedule.cron,
              options: { backfillPeriod: 0, maxAttempts: MOST_ATTEMPTS },
            },
          ]
        : [],
    ),
  );
}

/** The pass itself logs its failure; what the queue says about it is for those who debug. */
function queueLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    const fields = { source: 'graphile-worker' };
    if (level === 'warning' || (level === 'error' && !message.startsWith('Failed task')))
      log.warn(fields, message);
    else log.debug(fields, message);
  });
}
