import { startWatchdog } from '../../src/platform/watchdog/watchdog.js';

/** A program under the watchdog that stops in order when its loop hears of it, and hangs when it is told to. */

const [seconds, how] = process.argv.slice(2);
const watchdog = startWatchdog({ seconds: Number(seconds), format: 'json' });

process.on('SIGTERM', async () => {
  await watchdog.stop();
  console.log('stopped in order');
  process.exit(0);
});

function spinForEver(): void {
  for (;;);
}

function backtrackForEver(): void {
  /^(a+)+$/.test(`${'a'.repeat(60)}b`);
}

setInterval(() => {}, 1_000);
await watchdog.watching;
console.log('begun');
setImmediate(() => {
  if (how === 'spin') spinForEver();
  if (how === 'backtrack') backtrackForEver();
});
