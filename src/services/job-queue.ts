import { setTimeout as pause } from 'node:timers/promises';
import { Logger, parseCronItems, type Runner, run, type TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Log } from '../kernel/log.js';
import type { JobDefinition } from './jobs.js';

export interface QueueOptions {
  pool: Pool;
  log: Log;
  concurrency: number;
  pollIntervalMs: number;
}

export const MOST_ATTEMPTS = 10;
const RESTART_PAUSE_MS = 2_000;

/** Keeps the queue's worker going: it ends itself when the database stays away, and is then started anew. */
export class JobQueue {
  #stopping: AbortController | undefined;
  #runner: Runner | undefined;
  #supervision: Promise<void> | undefined;

  constructor(private readonly options: QueueOptions) {}

  async start(
    definitions: JobDefinition[],
    work: (definition: JobDefinition) => Promise<void>,
  ): Promise<void> {
    if (this.#stopping) return;
    const stopping = new AbortController();
    this.#stopping = stopping;
    try {
      const first = await this.#run(definitions, work);
      this.#supervision = this.#supervise(first, () => this.#run(definitions, work), stopping.signal);
    } catch (error) {
      this.#stopping = undefined;
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    this.#stopping = undefined;
    await this.#runner?.stop().catch(() => undefined);
    await this.#supervision;
  }

  #run(definitions: JobDefinition[], work: (definition: JobDefinition) => Promise<void>): Promise<Runner> {
    const { pool, log, concurrency, pollIntervalMs } = this.options;
    return run({
      pgPool: pool,
      schema: 'graphile_worker',
      concurrency,
      pollInterval: pollIntervalMs,
      noHandleSignals: true,
      taskList: taskList(definitions, work),
      parsedCronItems: cronItems(definitions),
      logger: queueLogger(log),
    });
  }

  /**
   * A worker whose very first look failed keeps that failure and repeats it for ever. Once every worker has failed
   * twice in a row, this runner is ended, and the supervision starts one that asks afresh.
   */
  #restartWhenStuck(runner: Runner): void {
    const limit = this.options.concurrency * 2;
    let failures = 0;
    const forget = () => {
      failures = 0;
    };
    runner.events.on('worker:getJob:empty', forget);
    runner.events.on('job:start', forget);
    runner.events.on('worker:getJob:error', () => {
      failures += 1;
      if (failures !== limit) return;
      this.options.log.warn('Background work cannot fetch its jobs; it is started anew');
      runner.stop().catch(() => undefined);
    });
  }

  async #supervise(first: Runner, again: () => Promise<Runner>, stopping: AbortSignal): Promise<void> {
    const { log } = this.options;
    let next: Runner | undefined = first;
    while (!stopping.aborted) {
      try {
        this.#runner = next ?? (await again());
        next = undefined;
        this.#restartWhenStuck(this.#runner);
        // Stopped while it was starting: nobody else knows this one.
        if (stopping.aborted) await this.#runner.stop();
        await this.#runner.promise;
      } catch (error) {
        log.error({ err: error }, 'Background work was interrupted');
      }
      this.#runner = undefined;
      await pause(RESTART_PAUSE_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
    }
  }
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
