import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Reads Vitest's JSON reports.
 * `node .ci/report.mjs failed <report>` prints the files that failed, one per line.
 * `node .ci/report.mjs sum <report>...` prints the totals as the last line of a run. Results in
 * `x-again.json` replace those in `x.json`.
 */

const hasFailedTest = (file) => file.assertionResults.some(({ status }) => status === 'failed');

function readFiles(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults;
  } catch {
    return undefined;
  }
}

function listFailed(path) {
  const failed = (readFiles(path) ?? []).filter(({ status }) => status === 'failed');
  for (const { name } of failed) console.log(relative(process.cwd(), name));
}

function sumUp(paths) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const files = new Map();
  for (const path of paths) {
    const found = readFiles(path);
    const run = path.replace(/-again\.json$/, '.json');
    if (found) for (const file of found) files.set(`${run} ${file.name}`, file);
    else {
      console.log(`The tests left no report at ${path}.`);
      sum.failed += 1;
    }
  }
  for (const file of files.values()) {
    for (const { status } of file.assertionResults)
      sum[status === 'passed' || status === 'failed' ? status : 'skipped'] += 1;
    // A file that fails outside its tests has no failed test, but still counts as a failure.
    if (file.status === 'failed' && !hasFailedTest(file)) sum.failed += 1;
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
}

const [command, ...paths] = process.argv.slice(2);
if (command === 'failed') listFailed(paths[0]);
else sumUp(paths);
