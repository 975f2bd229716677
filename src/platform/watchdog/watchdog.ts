import { once } from 'node:events';
import { url as debuggerUrl } from 'node:inspector';
import { startWorker } from '../workers/worker-entry.js';

interface WatchdogOptions {
  seconds: number;
  format: 'json' | 'pretty';
}

export interface Watchdog {
  watching: Promise<unknown>;
  stop(): Promise<unknown>;
}

export interface WatchdogData {
  seconds: number;
  format: 'json' | 'pretty';
  beats: Int32Array;
}

const BEAT_MS = 500;

/**
 * Watches the event loop from a thread, because a hung loop cannot react to signals or end the process
 * itself.
 */
export function startWatchdog({ seconds, format }: WatchdogOptions): Watchdog {
  // A debugger stops the loop on purpose.
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
