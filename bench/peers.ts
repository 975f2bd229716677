import { parseArgs } from 'node:util';
import { findDatabaseUrl } from './database.js';
import { compareIndexers } from './peers/indexers.js';
import { compareMemories } from './peers/memories.js';
import { trySkipping } from './peers/skipping.js';
import { compareSwitches } from './peers/switches.js';
import { runBench, startService } from './processes.js';
import { formatTable } from './report.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- peers [options]

Other programs at the same work, in the same run: the feature switches of Unleash, the indexes of dependency-cruiser, madge and
scip-typescript, the search of mem0. They are installed into a cache folder of the user; what cannot be is skipped, with the
reason. A ratio above 1 says how many times faster Guildhall is.

  --only <text>    switches, indexers or memories (repeatable)
  --rounds <n>     rounds, alternating (3)
  --seconds <n>    length of one round of requests (2)`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});

async function measure(dataDir: string): Promise<void> {
  const rounds = Number(options.rounds);
  const { url, adminKey } = await startService(dataDir, { DATABASE_URL: '' });
  const world = await makeWorld(url, adminKey, await findDatabaseUrl(dataDir));
  const rows: string[][] = [];
  const skipped: string[] = [];
  const compare = async (name: string, work: () => Promise<void>) => {
    if (!options.only || options.only.includes(name)) await trySkipping(name, skipped, work);
  };
  await compare('switches', async () => {
    rows.push(...(await compareSwitches(world, { rounds, seconds: Number(options.seconds) })));
  });
  await compare('indexers', async () => {
    const indexed = await compareIndexers(world, dataDir, rounds);
    rows.push(...indexed.rows);
    skipped.push(...indexed.skipped);
  });
  await compare('memories', async () => {
    rows.push(...(await compareMemories(world, rounds)));
  });
  formatTable({ heads: ['work', 'Guildhall', 'peer', 'times faster', 'bar', ''], rows, notes: skipped });
}

await runBench(options.help ? help : undefined, measure);
