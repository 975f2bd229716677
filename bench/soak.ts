import { parseArgs } from 'node:util';
import { runBench } from './processes.js';
import { soak } from './soak/soak.js';

const help = `npm run soak -- [options]

Mixed load on three nodes and one database while nodes and the database are killed at random. At the end every write that
was acknowledged is looked for, streams are compared with the feed, jobs with the clock, memory with itself.

  --minutes <n>    how long (30)
  --callers <n>    how many call at once (12)
  --every <n>      seconds between one disaster and the next (20)
  --seed <n>       for the same choices again`;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    callers: { type: 'string', default: '12' },
    every: { type: 'string', default: '20' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Memory that grows by more than this factor between the second and the last quarter counts as a leak. */
const FLAT = 1.2;

async function measure(folder: string): Promise<void> {
  const { seed, acknowledged, interrupted, disasters, wrong, memory } = await soak(folder, {
    seconds: Number(options.minutes) * 60,
    callers: Number(options.callers),
    every: Number(options.every),
    ...(options.seed && { seed: Number(options.seed) }),
    say: (line) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`),
  });
  console.log(`seed            ${seed}`);
  console.log(`acknowledged    ${acknowledged} writes`);
  console.log(`interrupted     ${interrupted} requests`);
  for (const [kind, times] of Object.entries(disasters)) console.log(`${kind.padEnd(15)} ${times} times`);
  console.log(`memory          ${memory.early.toFixed(0)} MiB early, ${memory.late.toFixed(0)} MiB late`);
  const grows = memory.late > memory.early * FLAT;
  const told = grows ? [...wrong, 'Memory grows'] : wrong;
  console.log(told.length === 0 ? 'Nothing was lost, nothing was done twice.' : told.slice(0, 50).join('\n'));
  if (told.length > 0) process.exitCode = 1;
}

await runBench(options.help ? help : undefined, measure);
