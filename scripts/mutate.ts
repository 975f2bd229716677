import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLog } from '../src/kernel/log.js';
import { findQuickFolder, startScratchPostgres } from '../src/platform/database/embedded/embedded-scratch.js';
import { applyMutant, listMutants, type Mutant, spread } from './mutate/mutants.js';
import { listNearestTests } from './mutate/nearest-tests.js';
import { makeScratchCopy, type Verdict } from './mutate/scratch-copy.js';

const USAGE = `npm run mutate -- <file> [test files...] [--lines 10-40] [--minutes 10]
Breaks the rules of a source file one by one, in a copy of the checkout, and shows which of them no test misses.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lines: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
});

const [file, ...named] = positionals.map((path) => relative('.', path).replaceAll('\\', '/'));
if (!file || values.help) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const source = readFileSync(file, 'utf8');
const [first = 1, last = first] = values.lines?.split('-').map(Number) ?? [1, Number.POSITIVE_INFINITY];
const mutants = spread(listMutants(file, source).filter(({ line }) => line >= first && line <= last));
const tests = named.length > 0 ? named : listNearestTests(file);
if (tests.length === 0) throw new Error(`No test is near ${file}: name some`);
console.log(`${file}: ${mutants.length} rules to break, judged by\n  ${tests.join('\n  ')}`);

const endsAt = performance.now() + Number(values.minutes) * 60_000;
const postgres = await startScratchPostgres(silentLog, await findQuickFolder());
const copy = makeScratchCopy(postgres.connection);
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

try {
  const began = performance.now();
  const whole = await copy.judge(tests, { limitMs: 20 * 60_000, signal: stopped.signal });
  if (whole.outcome !== 'lived') throw new Error(`The tests fail before anything is broken: ${whole.by}`);
  // A mutant may turn a terminating loop into an endless one.
  const limitMs = 30_000 + 3 * (performance.now() - began);
  await breakOneByOne(limitMs);
} finally {
  copy.remove();
  await postgres.stop();
}

async function breakOneByOne(limitMs: number): Promise<void> {
  const counts: Record<Verdict['outcome'], number> = { fell: 0, lived: 0, hung: 0 };
  let tried = 0;
  for (const mutant of mutants) {
    if (performance.now() > endsAt || stopped.signal.aborted) break;
    copy.write(file!, applyMutant(source, mutant));
    const verdict = await copy.judge(tests, { limitMs, signal: stopped.signal });
    if (stopped.signal.aborted) break;
    tried += 1;
    counts[verdict.outcome] += 1;
    show(mutant, verdict);
  }
  const untried = mutants.length - tried;
  console.log(
    `\n${tried} broken: ${counts.fell} noticed, ${counts.hung} noticed by hanging, ${counts.lived} lived` +
      (untried > 0 ? `; ${untried} not tried (--minutes ${values.minutes})` : ''),
  );
}

function show(mutant: Mutant, { outcome, by }: Verdict): void {
  const place = `${file}:${mutant.line} ${mutant.what}`;
  if (outcome !== 'lived') {
    console.log(`${outcome}   ${place}${by ? ` (${by})` : ''}`);
    return;
  }
  const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 100);
  console.log(`LIVED  ${place}`);
  console.log(`       - ${oneLine(source.slice(mutant.start, mutant.end))}`);
  console.log(`       + ${oneLine(mutant.replacement)}`);
}
