import { createAnalysisThread } from '../src/code/diff-analysis/analysis-thread.js';
import { readChangedTexts } from '../src/features/projects/commits/texts.js';
import { createMirror } from '../src/features/projects/git/mirror.js';
import { type Case, edited, names } from '../tests/gates/cases.js';
import { FAULTS } from '../tests/gates/faults.js';
import { GOOD } from '../tests/gates/good.js';
import { SHOP } from '../tests/gates/shop.js';
import { ScratchRepository } from '../tests/support/scratch-repository.js';

/**
 * Counts the faults of sixty faulty builds that no note names, and the notes on sixty honest ones, as commits
 * in ten languages. The deep test of the same cases shows that no build is held, by running them through the
 * service.
 */
const MOST_MISSED = 2;

const repository = new ScratchRepository();
const mirror = createMirror(repository.folder, '');
const analysisThread = createAnalysisThread();
const base = repository.save(SHOP);
let longest = 0;

async function analyze({ edits, instructions }: Case) {
  repository.git('checkout', '--quiet', '--detach', base);
  const after = edited(edits);
  const gone = Object.keys(SHOP).filter((path) => !(path in after));
  const head = repository.remove(...gone).save(after);
  const began = performance.now();
  const changed = await readChangedTexts(
    (args, run) => mirror.git(args, run),
    mirror,
    base,
    head,
    () => 1,
  );
  const named = instructions.match(/[\w./-]+\/[\w.-]+\.\w+/g) ?? [];
  const ground = { named, near: [], footprint: null };
  const { notes } = await analysisThread.analyze(1, { ...changed, ground, succeeded: true });
  longest = Math.max(longest, performance.now() - began);
  return notes;
}

try {
  const missed: string[] = [];
  for (const fault of FAULTS) if (!names(await analyze(fault), fault)) missed.push(fault.name);
  let noted = 0;
  for (const good of GOOD) if ((await analyze(good)).length > 0) noted += 1;
  console.log(
    `${FAULTS.length} planted faults, ${missed.length} without a note that names them (at most ${MOST_MISSED})`,
  );
  for (const name of missed) console.log(`  ${name}`);
  console.log(
    `${GOOD.length} honest builds, ${noted} with a note; the longest look took ${Math.round(longest)} ms`,
  );
  if (missed.length > MOST_MISSED) process.exitCode = 1;
} finally {
  await analysisThread.end();
  repository.dispose();
}
