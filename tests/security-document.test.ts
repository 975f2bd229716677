import { access, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const PATH =
  /`((?:src|tests|docs|scripts|sidecar|dashboard|deploy|client|cli)\/[\w./-]+|[A-Z][A-Za-z]*(?:\.md|file)|[\w-]+\.(?:json|yaml))`/g;
/** Number of requirements of levels 1 and 2 in each chapter of ASVS 5.0.0. */
const REQUIREMENTS = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];

const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');
const policy = await read('SECURITY.md');
const standard = await read('docs/security/asvs.md');
const rows = [...standard.matchAll(/^\| v5\.0\.0-((\d+)\.\d+\.\d+) \|(.*)\|(.*)\|$/gm)].map(
  ([, number, chapter, requirement, evidence]) => ({
    number: number!,
    chapter: Number(chapter),
    requirement: requirement!.trim(),
    evidence: evidence!.trim(),
  }),
);

/** Number of rows of a chapter with full evidence, and by first word. */
function summarize(chapter: number): number[] {
  const words = rows
    .filter((row) => row.chapter === chapter)
    .map(({ evidence }) => /^(Partly|Operator|Gap|Not applicable): /.exec(evidence)?.[1]);
  const count = (word?: string) => words.filter((each) => each === word).length;
  return [words.length, count(), ...['Partly', 'Operator', 'Gap', 'Not applicable'].map(count)];
}

describe('The security pages', () => {
  it('name only files that exist', async () => {
    const named = new Set([...`${policy}${standard}`.matchAll(PATH)].map(([, path]) => path!));
    expect(named.size).toBeGreaterThan(40);
    const missing: string[] = [];
    for (const path of named) await access(new URL(path, ROOT)).catch(() => missing.push(path));
    expect(missing).toEqual([]);
  });

  it('list every requirement of ASVS 5.0 exactly once', () => {
    expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length);
    const counts = REQUIREMENTS.map((_, index) => rows.filter(({ chapter }) => chapter === index + 1).length);
    expect(counts).toEqual(REQUIREMENTS);
  });

  it('name a file for each requirement, or the reason for its absence', () => {
    const faulty = rows.filter(
      ({ requirement, evidence }) =>
        requirement === '' ||
        !(/^(Gap|Partly|Operator|Not applicable): ./.test(evidence) || evidence.match(PATH)),
    );
    expect(faulty).toEqual([]);
  });

  it('have a summary with the right counts for each chapter', () => {
    const summary = [...standard.matchAll(/^\| \[V\d+ [^|]*\|(.*)\|$/gm)].map(([, counts]) =>
      counts!.split('|').map(Number),
    );
    expect(summary).toEqual(REQUIREMENTS.map((_, index) => summarize(index + 1)));
  });
});
