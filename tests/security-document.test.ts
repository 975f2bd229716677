import { access, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

/** What the security page shows must be there. */

const ROOT = new URL('../', import.meta.url);
const PATH =
  /`((?:src|tests|docs|scripts|sidecar|dashboard|deploy|client|cli)\/[\w./-]+|[A-Z][A-Za-z]*(?:\.md|file)|[\w-]+\.(?:json|yaml))`/g;
/** How many requirements of level 1 and 2 each chapter of ASVS 5.0.0 has. */
const REQUIREMENTS = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];

const text = await readFile(new URL('SECURITY.md', ROOT), 'utf8');
const rows = [...text.matchAll(/^\| v5\.0\.0-((\d+)\.\d+\.\d+) \|(.*)\|(.*)\|$/gm)].map(
  ([, number, chapter, requirement, evidence]) => ({
    number: number!,
    chapter: Number(chapter),
    requirement: requirement!.trim(),
    evidence: evidence!.trim(),
  }),
);

describe('SECURITY.md', () => {
  it('names only files that exist', async () => {
    const named = new Set([...text.matchAll(PATH)].map(([, path]) => path!));
    expect(named.size).toBeGreaterThan(40);
    const missing: string[] = [];
    for (const path of named) await access(new URL(path, ROOT)).catch(() => missing.push(path));
    expect(missing).toEqual([]);
  });

  it('goes through every chapter of ASVS 5.0 requirement by requirement', () => {
    expect(new Set(rows.map(({ number }) => number)).size, 'a requirement twice').toBe(rows.length);
    const counts = REQUIREMENTS.map((_, index) => rows.filter(({ chapter }) => chapter === index + 1).length);
    expect(counts).toEqual(REQUIREMENTS);
  });

  it('shows for each one a file, or says that it is a gap, the operator’s, or not applicable', () => {
    const faulty = rows.filter(
      ({ requirement, evidence }) =>
        requirement === '' ||
        !(/^(Gap|Partly|Operator|Not applicable): ./.test(evidence) || evidence.match(PATH)),
    );
    expect(faulty).toEqual([]);
  });
});
