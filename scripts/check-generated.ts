import { readFile } from 'node:fs/promises';
import { generatedFiles } from './generated-files.js';

function firstDifference(present: string, made: string): string {
  const old = present.split('\n');
  const fresh = made.split('\n');
  const index = fresh.findIndex((line, position) => line !== old[position]);
  const line = index === -1 ? fresh.length : index;
  return `line ${line + 1} is ${JSON.stringify(old[line] ?? '')}, made anew it is ${JSON.stringify(fresh[line] ?? '')}`;
}

async function findFault(path: string, make: () => Promise<string>): Promise<string | undefined> {
  const made = await make();
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present === made) return undefined;
  if (present === undefined) return 'is missing; run `npm run generate`';
  return `is out of date, run \`npm run generate\`: ${firstDifference(present, made)}`;
}

for (const { path, make } of generatedFiles) {
  const fault = await findFault(path, make).catch((error: Error) => `cannot be made: ${error.message}`);
  if (!fault) continue;
  process.exitCode = 1;
  console.error(`${path} ${fault}`);
}
