import { startWatchdog } from '../../src/platform/watchdog/watchdog.js';

/** A program under the watchdog. It stops cleanly on SIGTERM or hangs, depending on its argument. */

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
