import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LARGE, shrink } from './growth/fill.js';
import { type List, lists } from './growth/lists.js';
import { findDeepPath, get, makeSide, type Side } from './growth/side.js';
import { median } from './measure.js';
import { runBench } from './processes.js';
import { formatTable } from './report.js';

const help = `npm run bench -- growth [options]

Every list and feed of the interface, asked of a service that holds so much and of one that holds ten times as much: a
million cards in a workspace with 100,000 on a board, 10,000 desks, 1,000 members, 100,000 of everything else. The first page
and one half way down. Ten times the data may take 1.3 times as long; of a list without pages, one record of it. What sums up or
counts records reads them all: it is told, and not judged.

  --only <text>    lists whose name contains the text (repeatable)
  --scale <n>      a world that is so many times smaller on both sides (1)
  --tenth          the same as --scale 10
  --rounds <n>     rounds per side, alternating (5)
  --asks <n>       requests of a round, at most (20)`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    scale: { type: 'string', default: '1' },
    tenth: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    asks: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
});

const BAR = 1.3;
/** The maximum duration of a round of a slow list. */
const LONGEST_ROUND = 500;

interface Page {
  name: string;
  list: List;
  small: string;
  large: string;
}

async function timeRound(side: Side, list: List, path: string): Promise<number> {
  const times: number[] = [];
  const began = performance.now();
  for (let n = 0; n < Number(options.asks) && performance.now() - began < LONGEST_ROUND; n += 1) {
    const asked = performance.now();
    await get(side, list, path);
    times.push(performance.now() - asked);
  }
  return median(times);
}

async function compare(page: Page, small: Side, large: Side) {
  const times = { small: [] as number[], large: [] as number[] };
  const rounds = {
    small: async () => times.small.push(await timeRound(small, page.list, page.small)),
    large: async () => times.large.push(await timeRound(large, page.list, page.large)),
  };
  await rounds.small();
  await rounds.large();
  times.small.length = 0;
  times.large.length = 0;
  for (let round = 0; round < Number(options.rounds); round += 1)
    for (const side of round % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const))
      await rounds[side]();
  return { small: median(times.small), large: median(times.large) };
}

async function findPages(list: List, small: Side, large: Side): Promise<Page[]> {
  const first = { name: list.name, list, small: list.path(small.place), large: list.path(large.place) };
  const { next } = list;
  if (!next) return [first];
  const deep = {
    small: await findDeepPath(small, list, next),
    large: await findDeepPath(large, list, next),
  };
  if (!deep.small || !deep.large) return [first];
  return [first, { name: `${list.name}, deep`, list, small: deep.small, large: deep.large }];
}

/** Returns the length of the longest list in an answer. */
async function countRecords(side: Side, list: List, path: string): Promise<number> {
  const answer = JSON.parse(await get(side, list, path));
  const lists = [answer, ...Object.values(answer)].filter(Array.isArray);
  return Math.max(1, ...lists.map(({ length }) => length));
}

const heads = ['list', 'n, ms', '10 n, ms', 'ratio', 'of a record', `at most ${BAR}`];

async function measureList(list: List, small: Side, large: Side): Promise<string[][]> {
  const rows: string[][] = [];
  for (const page of await findPages(list, small, large)) {
    const times = await compare(page, small, large);
    const ratio = times.large / times.small;
    // Where records do not fill a page, or a list has no pages, the time per record is judged.
    const growth =
      (await countRecords(large, list, page.large)) / (await countRecords(small, list, page.small));
    const judged = growth > 1 ? ratio / growth : ratio;
    const row = [
      page.name,
      times.small.toFixed(2),
      times.large.toFixed(2),
      ratio.toFixed(2),
      growth > 1 ? judged.toFixed(2) : '',
      list.sum ? 'a sum' : list.counts ? 'a count' : judged <= BAR ? 'met' : 'NOT MET',
    ];
    rows.push(row);
    console.log(row.join('  '));
  }
  return rows;
}

async function measure(dataDir: string): Promise<void> {
  const { only } = options;
  const wanted = only ? lists.filter(({ name }) => only.some((text) => name.includes(text))) : lists;
  if (wanted.length === 0) throw new Error(`No list matches ${only?.join(', ')}`);
  const size = shrink(LARGE, options.tenth ? 10 : Number(options.scale));
  const began = performance.now();
  const sides: Side[] = [];
  for (const [name, each] of [
    ['small', shrink(size, 10)],
    ['large', size],
  ] as const) {
    const folder = join(dataDir, name);
    // The embedded database may run as another user, who needs access to the folder.
    await mkdir(folder, { mode: 0o755 });
    sides.push(await makeSide(folder, each));
  }
  console.log(`filled after ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const [small, large] = sides as [Side, Side];
  const rows: string[][] = [];
  const skipped: string[] = [];
  for (const list of wanted) {
    try {
      rows.push(...(await measureList(list, small, large)));
    } catch (error) {
      skipped.push(`${list.name}: SKIPPED, ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
  const above = rows.filter((row) => row.at(-1) === 'NOT MET').map(([name]) => name);
  formatTable({
    heads,
    rows,
    notes: [
      `10 n: ${Object.entries(size)
        .map(([what, count]) => `${count} ${what}`)
        .join(', ')}; ${options.rounds} rounds of at most ${options.asks} requests, one at a time`,
      above.length > 0 ? `above the bar: ${above.join('; ')}` : `all of ${rows.length} are within the bar`,
      ...skipped,
    ],
  });
}

await runBench(options.help ? help : undefined, measure);
