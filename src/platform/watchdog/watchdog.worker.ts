import { writeSync } from 'node:fs';
import { type Debugger, Session } from 'node:inspector';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../kernel/clock.js';
import { describeLine } from '../logging/log-line.js';
import type { WatchdogData } from './watchdog.js';

const { seconds, format, beats } = workerData as WatchdogData;

const TICK_MS = 1_000;
/** How long a process may hang after a signal to stop. */
const STOP_SECONDS = 5;
const STACK_MS = 2_000;
/** A worker's process.stdout goes through the main thread, which may hang. */
const STANDARD_OUTPUT = 1;

let lastBeat = -1;
/** Counts ticks of this thread instead of time, so that a suspended process does not count as hung. */
let silentTicks = 0;
let stopAsked = false;

setInterval(() => {
  const beat = Atomics.load(beats, 0);
  silentTicks = beat === lastBeat ? silentTicks + 1 : 0;
  lastBeat = beat;
  if (silentTicks === Math.ceil(seconds / 3)) void reportStack();
  if (silentTicks >= (stopAsked ? Math.min(STOP_SECONDS, seconds) : seconds)) end();
}, TICK_MS);

hearSignals(() => {
  if (stopAsked && silentTicks > 1) end();
  stopAsked = true;
});

parentPort!.postMessage('watching');

function end(): void {
  say('The event loop hangs; the process is ended', { seconds: silentTicks });
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container cannot be killed from inside, so the hung thread is made to exit.
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: 'process.exit(1)' });
}

/** Uses an internal binding, because Node's public API delivers signals only to the main thread. */
function hearSignals(hear: () => void): void {
  try {
    const { Signal } = (process as unknown as SignalSource).binding('signal_wrap');
    for (const number of [constants.signals.SIGTERM, constants.signals.SIGINT]) {
      const signal = new Signal();
      signal.unref();
      signal.onsignal = hear;
      signal.start(number);
    }
  } catch {
    // Without signals a hung process ends later.
  }
}

interface SignalSource {
  binding(name: 'signal_wrap'): {
    Signal: new () => { unref(): void; start(signal: number): void; onsignal: () => void };
  };
}

async function reportStack(): Promise<void> {
  const session = new Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, basename(params.url)));
  const paused = new Promise<string[]>((resolve) => {
    session.once('Debugger.paused', ({ params }) =>
      resolve(params.callFrames.map((frame) => describeFrame(frame, files))),
    );
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  // A loop that hangs in a system call cannot be paused.
  const stack = await Promise.race([paused, pause(STACK_MS, [], { ref: false })]);
  session.post('Debugger.resume');
  session.disconnect();
  say('The event loop hangs', { seconds: silentTicks, stack });
}

const describeFrame = ({ functionName, location }: Debugger.CallFrame, files: Map<string, string>) =>
  `${functionName || '(anonymous)'} ${files.get(location.scriptId)}:${location.lineNumber + 1}`;

/** Writes directly, because the logger hangs with the main thread. */
function say(msg: string, fields: object): void {
  const line = `${JSON.stringify({ level: 60, time: systemClock.now(), ...fields, msg })}\n`;
  writeSync(STANDARD_OUTPUT, format === 'pretty' ? describeLine(line) : line);
}
