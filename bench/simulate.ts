import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { numbersFrom } from './numbers.js';
import { runBench } from './processes.js';
import { type Costs, measureCosts } from './simulate/costs.js';
import { company } from './simulate/habits.js';
import { simulate, type Year } from './simulate/year.js';

const help = `npm run bench -- simulate [options]

A year of a company, hour by hour, on paper: what each action costs is measured here and now, what people and agents do in a day
stands in bench/simulate/habits.ts.

  --people <n>     how many people (${company.people.count})
  --agents <n>     how many agents (${company.agents.count})
  --desks <n>      how many desks (${company.desks.count}), each with ${company.desks.slots} slots
  --costs <file>   costs that were measured before, instead of measuring
  --keep <file>    where to write the measured costs
  --seed <n>       for the same year again (1)`;

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: String(company.people.count) },
    agents: { type: 'string', default: String(company.agents.count) },
    desks: { type: 'string', default: String(company.desks.count) },
    costs: { type: 'string' },
    keep: { type: 'string' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

async function run(dataDir: string): Promise<void> {
  const costs: Costs = options.costs
    ? JSON.parse(await readFile(options.costs, 'utf8'))
    : await measureCosts(dataDir);
  if (options.keep) await writeFile(options.keep, `${JSON.stringify(costs, undefined, 2)}\n`);
  reportCosts(costs);
  const habits = {
    ...company,
    people: { ...company.people, count: Number(options.people) },
    agents: { ...company.agents, count: Number(options.agents) },
    desks: { ...company.desks, count: Number(options.desks) },
  };
  reportYear(simulate(habits, costs, numbersFrom(Number(options.seed))));
}

function reportCosts({ actions, bytes }: Costs): void {
  console.log('processor time of one action         node   database');
  for (const [action, { node, database }] of Object.entries(actions))
    console.log(`  ${action.padEnd(28)} ${milliseconds(node)} ${milliseconds(database)}`);
  console.log('bytes of one row, with its indexes');
  for (const [row, size] of Object.entries(bytes)) console.log(`  ${row.padEnd(28)} ${Math.round(size)}`);
}

function reportYear({ requests, builds, peak, cores, queue, stored, next }: Year): void {
  const lines: [string, string][] = [
    ['requests in the year', `${(requests / 1e9).toFixed(2)} billion`],
    ['builds in the year', `${(builds / 1e6).toFixed(1)} million`],
    [
      'the busiest hour',
      `${Math.round(peak.requestsPerSecond)} requests/s, ${Math.round(peak.building)} builds at once`,
    ],
    [
      'cores it keeps busy',
      `${peak.nodeCores.toFixed(1)} of nodes, ${peak.databaseCores.toFixed(1)} of the database`,
    ],
    ['cores to have', `${cores.nodes} for nodes, ${cores.database} for the database`],
    ['longest wait for a slot', `${queue.minutes.toFixed(0)} minutes, ${Math.round(queue.builds)} builds`],
    ...Object.entries(stored).map(([what, size]): [string, string] => [what, `${size.toFixed(1)} GB`]),
    ['what ends first', `${next.what}, at ${next.times.toFixed(1)} times the size`],
  ];
  console.log('the year');
  for (const [what, value] of lines) console.log(`  ${what.padEnd(28)} ${value}`);
}

const milliseconds = (value: number) => `${value.toFixed(2)} ms`.padStart(9);

await runBench(options.help ? help : undefined, run);
