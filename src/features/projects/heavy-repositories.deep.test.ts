import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, type Project } from '../../../tests/support/code-world.js';
import { longestHold } from '../../../tests/support/event-loop.js';
import type { ScratchRepository } from '../../../tests/support/scratch-repository.js';

let code: CodeWorld;

beforeAll(async () => {
  code = await CodeWorld.start();
});
afterAll(() => code.stop());

/**
 * A request may block the event loop for 50 ms; the limit here tolerates a busy machine, while unsliced work
 * would take seconds.
 */
const MOST_MS = 250;
const FUNCTIONS = 4900;
const MINUTES = 60_000;

/** A blob with many functions, below every limit of a single file. */
const manyFunctions = (word: string) =>
  Array.from({ length: FUNCTIONS }, (_, n) => `export function ${word}${n}(a) { return a + ${n}; }\n`).join(
    '',
  );

/** Commits the given number of paths that share one blob. */
function saveCopies(repository: ScratchRepository, count: number, word = 'f'): string {
  const input = (args: string[], text: string) =>
    execFileSync('git', args, { cwd: repository.folder, input: text }).toString().trim();
  const blob = input(['hash-object', '-w', '--stdin'], manyFunctions(word));
  const tree = input(
    ['mktree'],
    Array.from({ length: count }, (_, n) => `100644 blob ${blob}\t${word}${n}.ts\n`).join(''),
  );
  const commit = repository.git('commit-tree', tree, '-m', 'copies');
  repository.git('update-ref', 'HEAD', commit);
  return commit;
}

describe('Small repository with very many symbols', () => {
  it('is indexed without blocking the event loop', { timeout: 5 * MINUTES }, async () => {
    const repository = code.repository();
    saveCopies(repository, 20);
    const project: Project = await code.attach(repository);
    const held = await longestHold(() => project.index());
    expect(await code.call('GET', `/api/v1/projects/${project.id}/index`)).toMatchObject({
      body: { status: 'ready', files: 20, truncated: false },
    });
    expect(held).toBeLessThan(MOST_MS);
  });

  it('lessons:impact responds without blocking the event loop', { timeout: 5 * MINUTES }, async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': 'export function a() {}' });
    const project = await code.attach(repository);
    await project.index();
    const base = repository.git('rev-parse', 'HEAD');
    const head = saveCopies(repository, 20, 'g');
    repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    let status = 0;
    const held = await longestHold(async () => {
      ({ status } = await code.call('POST', `/api/v1/projects/${project.id}/lessons:impact`, { base, head }));
    });
    expect([status === 200 || status === 504, held < MOST_MS]).toEqual([true, true]);
  });
});
