import { endsWithin, newAbort } from '../../kernel/deadline.js';
import type { Log } from '../../kernel/log.js';
import { traceWork } from '../../kernel/tracing.js';
import { inBackground } from '../database/connection/background.js';
import type { JobDefinition, PassResult } from './job-definition.js';

export type PassObserver = (pass: {
  name: string;
  processed: number;
  failed: number;
  threw: boolean;
  seconds: number;
}) => void;

/** Keeps when a pass ran, for those who look after all nodes. */
export type PassRecorder = (pass: { name: string; seconds: number; error: string | null }) => Promise<void>;

export interface PassRunner {
  open(): void;
  run(definition: JobDefinition): Promise<PassResult>;
  /** For triggers: one pass that has yet to start answers all of them. */
  runMerged(definition: JobDefinition): Promise<void>;
  /** For timers: the next one comes anyway. */
  runIfIdle(definition: JobDefinition): Promise<void>;
  drain(timeoutMs: number): Promise<void>;
}

interface Lane {
  /** Ends when the pass that runs (and those lined up behind it) have ended; never rejects. */
  tail: Promise<void>;
  busy: number;
  /** A merged pass is lined up and has not looked yet: it will see what a later trigger is about. */
  mergedWaiting: boolean;
}

export interface PassRunnerOptions {
  log: Log;
  observe?: PassObserver;
  record?: PassRecorder;
}

const ABORT_GRACE_MS = 2_000;

/** Runs passes so that those of one name never overlap on this node. */
export function createPassRunner({ log, observe, record }: PassRunnerOptions): PassRunner {
  const lanes = new Map<string, Lane>();
  let abort = newAbort();
  let isOpen = true;

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { tail: Promise.resolve(), busy: 0, mergedWaiting: false };
    lanes.set(name, lane);
    return lane;
  };

  const inLane = (definition: JobDefinition, work: () => Promise<PassResult>): Promise<PassResult> => {
    const lane = laneOf(definition.name);
    lane.busy += 1;
    const result = lane.tail.then(work);
    lane.tail = result.then(
      () => {},
      () => {},
    );
    return result.finally(() => {
      lane.busy -= 1;
    });
  };

  /** What a pass did is done, whether or not it can be told. */
  const keep = async (name: string, seconds: number, error: string | null): Promise<void> => {
    await record?.({ name, seconds, error }).catch((err: unknown) =>
      log.debug({ job: name, err }, 'A background pass could not be recorded'),
    );
  };

  const pass = async (definition: JobDefinition, byHand = false): Promise<PassResult> => {
    const { name } = definition;
    const { signal } = abort;
    const startedAt = performance.now();
    const secondsSince = () => (performance.now() - startedAt) / 1000;
    try {
      const { processed, failed } = await traceWork(`job ${name}`, () =>
        inBackground(() => definition.run({ signal, byHand })),
      );
      observe?.({ name, processed, failed, threw: false, seconds: secondsSince() });
      if (processed > 0 || failed > 0) log.info({ job: name, processed, failed }, 'Background pass done');
      await keep(name, secondsSince(), failed > 0 ? `${failed} could not be done` : null);
      return { processed, failed };
    } catch (error) {
      observe?.({ name, processed: 0, failed: 0, threw: true, seconds: secondsSince() });
      log.error({ job: name, err: error }, 'Background pass failed');
      await keep(name, secondsSince(), sayBriefly(error));
      throw error;
    }
  };

  return {
    run: (definition) => inLane(definition, () => pass(definition, true)),

    open() {
      isOpen = true;
      if (abort.signal.aborted) abort = newAbort();
    },

    async runMerged(definition) {
      const lane = laneOf(definition.name);
      if (lane.mergedWaiting) return;
      lane.mergedWaiting = true;
      await inLane(definition, () => {
        lane.mergedWaiting = false;
        return pass(definition);
      });
    },

    async runIfIdle(definition) {
      if (!isOpen || laneOf(definition.name).busy > 0) return;
      await inLane(definition, () => pass(definition)).catch(() => undefined);
    },

    async drain(timeoutMs) {
      isOpen = false;
      const ended = Promise.all([...lanes.values()].map((lane) => lane.tail));
      if (await endsWithin(timeoutMs, ended)) return;
      abort.abort();
      if (!(await endsWithin(ABORT_GRACE_MS, ended))) log.warn('Background passes were left unfinished');
    },
  };
}

const LONGEST_ERROR = 500;

const sayBriefly = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_ERROR);
