import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../kernel/log.js';
import type { JobDefinition, PassResult } from './jobs.js';

export type PassObserver = (pass: {
  name: string;
  processed: number;
  failed: number;
  threw: boolean;
  seconds: number;
}) => void;

interface Lane {
  /** Ends when the pass that runs (and those lined up behind it) have ended; never rejects. */
  tail: Promise<void>;
  busy: number;
  /** A merged pass is lined up and has not looked yet: it will see what a later trigger is about. */
  mergedWaiting: boolean;
}

const ABORT_GRACE_MS = 2_000;

/** Runs passes so that those of one name never overlap on this node. */
export class PassRunner {
  #lanes = new Map<string, Lane>();
  #abort = new AbortController();
  #open = true;

  constructor(private readonly options: { log: Log; observe?: PassObserver }) {}

  open(): void {
    this.#open = true;
    if (this.#abort.signal.aborted) this.#abort = new AbortController();
  }

  run(definition: JobDefinition): Promise<PassResult> {
    return this.#inLane(definition, () => this.#pass(definition));
  }

  /** For triggers: one pass that has yet to start answers all of them. */
  async runMerged(definition: JobDefinition): Promise<void> {
    const lane = this.#lane(definition.name);
    if (lane.mergedWaiting) return;
    lane.mergedWaiting = true;
    await this.#inLane(definition, () => {
      lane.mergedWaiting = false;
      return this.#pass(definition);
    });
  }

  /** For timers: the next one comes anyway. */
  async runIfIdle(definition: JobDefinition): Promise<void> {
    if (!this.#open || this.#lane(definition.name).busy > 0) return;
    await this.run(definition).catch(() => undefined);
  }

  async drain(timeoutMs: number): Promise<void> {
    this.#open = false;
    const ended = Promise.all([...this.#lanes.values()].map((lane) => lane.tail));
    if (await endsWithin(ended, timeoutMs)) return;
    this.#abort.abort();
    if (!(await endsWithin(ended, ABORT_GRACE_MS)))
      this.options.log.warn('Background passes were left unfinished');
  }

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name) ?? { tail: Promise.resolve(), busy: 0, mergedWaiting: false };
    this.#lanes.set(name, lane);
    return lane;
  }

  #inLane(definition: JobDefinition, pass: () => Promise<PassResult>): Promise<PassResult> {
    const lane = this.#lane(definition.name);
    lane.busy += 1;
    const result = lane.tail.then(pass);
    lane.tail = result.then(
      () => {},
      () => {},
    );
    return result.finally(() => {
      lane.busy -= 1;
    });
  }

  async #pass(definition: JobDefinition): Promise<PassResult> {
    const { log, observe } = this.options;
    const { name } = definition;
    const startedAt = performance.now();
    const secondsSince = () => (performance.now() - startedAt) / 1000;
    try {
      const { processed, failed } = await definition.run({ signal: this.#abort.signal });
      observe?.({ name, processed, failed, threw: false, seconds: secondsSince() });
      if (processed > 0 || failed > 0) log.info({ job: name, processed, failed }, 'Background pass done');
      return { processed, failed };
    } catch (error) {
      observe?.({ name, processed: 0, failed: 0, threw: true, seconds: secondsSince() });
      log.error({ job: name, err: error }, 'Background pass failed');
      throw error;
    }
  }
}

export async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const stopWaiting = new AbortController();
  const timeout = pause(timeoutMs, false, { signal: stopWaiting.signal, ref: true }).catch(() => false);
  const ended = await Promise.race([work.then(() => true), timeout]);
  stopWaiting.abort();
  return ended;
}
