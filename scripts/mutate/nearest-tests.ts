import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const FOLDERS = ['src', 'tests', 'sidecar'];
const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/**
 * The tests most likely to cover a file: tests with its name, tests that import it, and if no test has its
 * name, the tests of its folder or the nearest parent, since most tests call a feature over HTTP.
 */
export function listNearestTests(path: string): string[] {
  const tests = FOLDERS.flatMap(listTests);
  const importing = tests.filter((test) => importsOf(test).includes(path));
  return [...new Set([...testsAround(path, tests), ...importing])];
}

function testsAround(path: string, tests: string[]): string[] {
  const name = posix.basename(path, '.ts');
  const folder = posix.dirname(path);
  const ofItsName = tests.filter(
    (test) => posix.dirname(test) === folder && posix.basename(test).startsWith(`${name}.`),
  );
  if (ofItsName.length > 0) return ofItsName;
  for (let room = folder; room !== '.'; room = posix.dirname(room)) {
    const here = tests.filter((test) => posix.dirname(test) === room);
    const found = here.length > 0 ? here : tests.filter((test) => test.startsWith(`${room}/`));
    if (found.length > 0) return found;
  }
  return [];
}

function listTests(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.test.ts'));
}

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(IMPORT)].map(([, source]) =>
    posix.join(posix.dirname(path), source!).replace(/\.js$/, '.ts'),
  );
}
