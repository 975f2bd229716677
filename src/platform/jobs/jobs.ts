import type { Pool } from 'pg';
import { endsWithin } from '../../kernel/async.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../database/database.js';
import { addJob } from './add-job.js';
import { createJobQueue } from './job-queue.js';
import type { JobDefinition, JobResult } from './job-runner.js';
import { createJobRunner, type JobObserver, type JobRecorder, type JobRunner } from './job-runner.js';

export type { JobDefinition, JobResult };

export interface Jobs {
  register(definitions: JobDefinition[]): void;
  /** Queues the job in the caller's transaction. It starts right after the commit, on any node. */
  trigger(db: Db, name: string): Promise<void>;
  /** Runs a job now, after a run that may be active. Returns undefined for an unknown name. */
  runNow(name: string): Promise<JobResult | undefined>;
  names(): string[];
  /** Lists all jobs by name, with their schedule as a cron line or in words. */
  describe(): { name: string; description: string; schedule: string | null }[];
  start(): Promise<void>;
  /** Waits for running jobs, and aborts them when that takes too long. */
  stop(): Promise<void>;
}

interface JobsOptions {
  pool: Pool;
  log: Log;
  concurrency?: number;
  /** For retries and delayed jobs. For the others the database sends a notification. */
  pollIntervalMs?: number;
  stopTimeoutMs?: number;
  observe?: JobObserver;
  record?: JobRecorder;
}

const RELEASE_MS = 2_000;

export function createJobs(options: JobsOptions): Jobs {
  const { pool, log, concurrency = 6, pollIntervalMs = 5_000, stopTimeoutMs = 10_000 } = options;
  const definitions = new Map<string, JobDefinition>();
  const runner = createJobRunner(options);
  const queue = createJobQueue({
    pool,
    log,
    concurrency,
    pollIntervalMs,
    definitions: () => [...definitions.values()],
    work: (definition) => runner.runMerged(definition),
  });
  let timers: NodeJS.Timeout[] = [];

  const known = (name: string): JobDefinition => {
    const definition = definitions.get(name);
    if (!definition) throw new Error(`No job is called ${name}`);
    return definition;
  };

  return {
    register(more) {
      for (const definition of more) {
        if (definitions.has(definition.name)) throw new Error(`Two jobs are called ${definition.name}`);
        definitions.set(definition.name, definition);
      }
    },

    async trigger(db, name) {
      known(name);
      await addJob(db, name);
    },

    async runNow(name) {
      const definition = definitions.get(name);
      return definition && runner.run(definition);
    },

    names: () => [...definitions.keys()].sort(),

    describe: () =>
      [...definitions.values()]
        .map(({ name, description = '', schedule }) => ({
          name,
          description,
          schedule: schedule ? describeSchedule(schedule) : null,
        }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),

    async start() {
      runner.open();
      await queue.start();
      if (timers.length > 0) return;
      timers = startTimers(definitions, runner);
      for (const definition of definitions.values())
        if (definition.atStart) void runner.runIfIdle(definition);
    },

    async stop() {
      for (const timer of timers) clearTimeout(timer);
      timers = [];
      const stopped = queue.stop();
      await runner.drain(stopTimeoutMs);
      await endsWithin(RELEASE_MS, stopped);
    },
  };
}

/** Every node runs these timers. Rows are claimed one by one, so nothing is done twice. */
function startTimers(definitions: Map<string, JobDefinition>, passes: JobRunner): NodeJS.Timeout[] {
  return [...definitions.values()].flatMap((definition) => {
    const { schedule } = definition;
    if (!schedule || !('everySeconds' in schedule)) return [];
    // Varied by up to 5%, so that nodes that started together do not run together.
    const interval = schedule.everySeconds * 1000 * (0.95 + Math.random() * 0.1);
    const timer = setInterval(() => void passes.runIfIdle(definition), interval);
    timer.unref();
    return [timer];
  });
}

const describeSchedule = (schedule: NonNullable<JobDefinition['schedule']>): string =>
  'cron' in schedule ? schedule.cron : `every ${schedule.everySeconds} seconds`;
