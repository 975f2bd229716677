import { endsWithin, newAbort } from '../../kernel/async.js';
import type { Log } from '../../kernel/log.js';
import { traceWork } from '../../kernel/tracing.js';
import { inBackground } from '../database/connection/pools.js';

export interface JobResult {
  processed: number;
  failed: number;
}

/** A job finds all work that is due by the clock, claims it and processes it. */
export interface JobDefinition {
  name: string;
  description?: string;
  schedule?: { cron: string } | { everySeconds: number };
  /** Also runs at the start, because jobs of a killed process stay locked for hours. */
  atStart?: boolean;
  /** `byHand` is set when a person requested the run and waits for the result. */
  run(options: { signal: AbortSignal; byHand?: boolean }): Promise<JobResult>;
}

export type JobObserver = (run: {
  name: string;
  processed: number;
  failed: number;
  threw: boolean;
  seconds: number;
}) => void;

export type JobRecorder = (run: { name: string; seconds: number; error: string | null }) => Promise<void>;

export interface JobRunner {
  open(): void;
  run(definition: JobDefinition): Promise<JobResult>;
  /** For triggers: one waiting run handles all of them. */
  runMerged(definition: JobDefinition): Promise<void>;
  /** For timers: skipped while a run is active. */
  runIfIdle(definition: JobDefinition): Promise<void>;
  drain(timeoutMs: number): Promise<void>;
}

interface NameQueue {
  /** Settles when the current and all queued runs have ended. Never rejects. */
  tail: Promise<void>;
  busy: number;
  /** A merged run is queued and has not started, so it also covers later triggers. */
  mergedWaiting: boolean;
}

interface JobRunnerOptions {
  log: Log;
  observe?: JobObserver;
  record?: JobRecorder;
}

const ABORT_GRACE_MS = 2_000;

/** Never runs two jobs of one name at once on this node. */
export function createJobRunner({ log, observe, record }: JobRunnerOptions): JobRunner {
  const queues = new Map<string, NameQueue>();
  let abort = newAbort();
  let isOpen = true;

  const queueOf = (name: string): NameQueue => {
    const queue = queues.get(name) ?? { tail: Promise.resolve(), busy: 0, mergedWaiting: false };
    queues.set(name, queue);
    return queue;
  };

  const enqueue = (definition: JobDefinition, work: () => Promise<JobResult>): Promise<JobResult> => {
    const queue = queueOf(definition.name);
    queue.busy += 1;
    const result = queue.tail.then(work);
    queue.tail = result.then(
      () => {},
      () => {},
    );
    return result.finally(() => {
      queue.busy -= 1;
    });
  };

  /** A failed record does not fail the job. */
  const recordRun = async (name: string, seconds: number, error: string | null): Promise<void> => {
    await record?.({ name, seconds, error }).catch((err: unknown) =>
      log.debug({ job: name, err }, 'A run of a background job could not be recorded'),
    );
  };

  const runOnce = async (definition: JobDefinition, byHand = false): Promise<JobResult> => {
    const { name } = definition;
    const { signal } = abort;
    const startedAt = performance.now();
    const secondsSince = () => (performance.now() - startedAt) / 1000;
    try {
      const { processed, failed } = await traceWork(`job ${name}`, () =>
        inBackground(() => definition.run({ signal, byHand })),
      );
      observe?.({ name, processed, failed, threw: false, seconds: secondsSince() });
      if (processed > 0 || failed > 0) log.info({ job: name, processed, failed }, 'Background job finished');
      await recordRun(name, secondsSince(), failed > 0 ? `${failed} could not be done` : null);
      return { processed, failed };
    } catch (error) {
      observe?.({ name, processed: 0, failed: 0, threw: true, seconds: secondsSince() });
      log.error({ job: name, err: error }, 'Background job failed');
      await recordRun(name, secondsSince(), shortMessage(error));
      throw error;
    }
  };

  return {
    run: (definition) => enqueue(definition, () => runOnce(definition, true)),

    open() {
      isOpen = true;
      if (abort.signal.aborted) abort = newAbort();
    },

    async runMerged(definition) {
      const queue = queueOf(definition.name);
      if (queue.mergedWaiting) return;
      queue.mergedWaiting = true;
      await enqueue(definition, () => {
        queue.mergedWaiting = false;
        return runOnce(definition);
      });
    },

    async runIfIdle(definition) {
      if (!isOpen || queueOf(definition.name).busy > 0) return;
      await enqueue(definition, () => runOnce(definition)).catch(() => undefined);
    },

    async drain(timeoutMs) {
      isOpen = false;
      const ended = Promise.all([...queues.values()].map((queue) => queue.tail));
      if (await endsWithin(timeoutMs, ended)) return;
      abort.abort();
      if (!(await endsWithin(ABORT_GRACE_MS, ended))) log.warn('Background jobs were left unfinished');
    },
  };
}

const LONGEST_ERROR = 500;

const shortMessage = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_ERROR);
