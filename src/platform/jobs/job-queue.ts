import { setTimeout as pause } from 'node:timers/promises';
import { Logger, parseCronItems, type Runner, run, type TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Log } from '../../kernel/log.js';
import { MOST_ATTEMPTS } from './add-job.js';
import type { JobDefinition } from './job-runner.js';

const PAUSE_MS = 500;

/**
 * The pool for graphile-worker's scheduler, whose failed queries would end the queue with an unhandled
 * rejection. It retries them until the database responds, and returns nothing after the end.
 */
function patientPool(pool: Pool, { log, ended }: { log: Log; ended: AbortSignal }): Pool {
  const query = async (text: string, values?: unknown[]): Promise<{ rows: unknown[] }> => {
    while (!ended.aborted) {
      try {
        return await pool.query(text, values);
      } catch (error) {
        log.warn(
          { err: error },
          'The schedule of background work cannot be read or written; it is tried again',
        );
        await pause(PAUSE_MS, undefined, { signal: ended, ref: false }).catch(() => undefined);
      }
    }
    return { rows: [] };
  };
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'query') return query;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

interface QueueOptions {
  pool: Pool;
  log: Log;
  concurrency: number;
  pollIntervalMs: number;
  definitions(): JobDefinition[];
  work(definition: JobDefinition): Promise<void>;
}

const RESTART_PAUSE_MS = 2_000;

interface JobQueue {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Restarts the worker, which ends itself when the database stays unavailable. */
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
        // The stop came during the start, when the runner could not be stopped yet.
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
 * A worker whose first query failed repeats that failure forever, so the runner is replaced once every worker
 * has failed twice in a row.
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
    log.warn('The job runner cannot fetch jobs; restarting it');
    runner.stop().catch(() => undefined);
  });
}

/** A thrown failure makes the queue retry with growing delays. */
function taskList(
  definitions: JobDefinition[],
  work: (definition: JobDefinition) => Promise<void>,
): TaskList {
  return Object.fromEntries(definitions.map((definition) => [definition.name, () => work(definition)]));
}

/** The schedule is in the database, so each time fires once for all nodes. */
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

/** Failures are logged by the job runner. Messages of the queue are for debugging. */
function queueLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    const fields = { source: 'graphile-worker' };
    if (level === 'warning' || (level === 'error' && !message.startsWith('Failed task')))
      log.warn(fields, message);
    else log.debug(fields, message);
  });
}
