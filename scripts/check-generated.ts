import { readFile } from 'node:fs/promises';
import { listLeftovers, makeFiles } from './generated-files.js';

function firstDifference(present: string, made: string): string {
  const old = present.split('\n');
  const fresh = made.split('\n');
  const index = fresh.findIndex((line, position) => line !== old[position]);
  const line = index === -1 ? fresh.length : index;
  return `line ${line + 1} is ${JSON.stringify(old[line] ?? '')}, made anew it is ${JSON.stringify(fresh[line] ?? '')}`;
}

async function findFault(path: string, made: string): Promise<string | undefined> {
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present === made) return undefined;
  if (present === undefined) return 'is missing; run `npm run generate`';
  return `is out of date, run \`npm run generate\`: ${firstDifference(present, made)}`;
}

function complain(fault: string): void {
  process.exitCode = 1;
  console.error(fault);
}

const made = new Set<string>();
try {
  for await (const { path, text } of makeFiles()) {
    made.add(path);
    const fault = await findFault(path, text);
    if (fault) complain(`${path} ${fault}`);
  }
  for (const path of await listLeftovers(made)) complain(`${path} is left over; run \`npm run generate\``);
} catch (error) {
  complain(`After ${[...made].at(-1) ?? 'nothing'}: cannot be made: ${(error as Error).message}`);
}
