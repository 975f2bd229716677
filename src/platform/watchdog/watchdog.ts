import { once } from 'node:events';
import { url as debuggerUrl } from 'node:inspector';
import { startWorker } from '../workers/worker-entry.js';

export interface WatchdogOptions {
  /** How long the event loop may hang before the process is ended; 0: for ever. */
  seconds: number;
  format: 'json' | 'pretty';
}

export interface Watchdog {
  /** From then on a hung loop is noticed. */
  watching: Promise<unknown>;
  stop(): Promise<unknown>;
}

export interface WatchdogData {
  seconds: number;
  format: 'json' | 'pretty';
  /** One number that grows while the event loop turns. */
  beats: Int32Array;
}

const BEAT_MS = 500;

/**
 * Watches the event loop from a thread of its own. A loop that hangs hears no signal and answers nobody, so nothing in it
 * can end the process: the thread does, on a signal soon, without one after a while.
 */
export function startWatchdog({ seconds, format }: WatchdogOptions): Watchdog {
  // Whoever debugs stops the loop on purpose.
  if (seconds === 0 || debuggerUrl() !== undefined)
    return { watching: Promise.resolve(), stop: () => Promise.resolve() };
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = startWorker(import.meta.url, './watchdog.worker', {
    workerData: { seconds, format, beats } satisfies WatchdogData,
    execArgv: ['--no-deprecation'],
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
  });
  worker.unref();
  const timer = setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  return {
    watching: once(worker, 'message'),
    stop() {
      clearInterval(timer);
      return worker.terminate();
    },
  };
}
