import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, type Project } from '../../../../tests/support/code-world.js';
import { longestHold } from '../../../../tests/support/event-loop.js';
import type { SyncAnswer } from '../lessons.schemas.js';

/**
 * Above any request even on a busy machine; the bugs that this guards against blocked the process for
 * seconds.
 */
const LONGEST_HOLD_MS = 1000;
const SIZE = 1024 * 1024;

let code: CodeWorld;
let project: Project;

beforeAll(async () => {
  code = await CodeWorld.start();
  project = await code.project({ 'a.ts': 'export function f() {}' });
});
afterAll(() => code.stop());

/** Returns the answer and fails if the work blocked the event loop. */
async function watched<T>(work: () => Promise<T>): Promise<T> {
  let answer: T;
  const hold = await longestHold(async () => {
    answer = await work();
  });
  expect(hold).toBeLessThan(LONGEST_HOLD_MS);
  return answer!;
}

const fill = (unit: string, size = SIZE) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
const numbered = (line: (number: number) => string, size = SIZE) => {
  let text = '';
  for (let number = 0; text.length < size; number++) text += line(number);
  return text;
};
const file = (head: string, body = 'Keep it short.') => `---\ntype: rule\n${head}\n---\n${body}\n`;
/** The longest body that is read. */
const LONGEST_BODY = 32_000;

const push = (files: { path: string; content: string }[]) =>
  watched(() =>
    code.call<SyncAnswer>('POST', '/api/v1/memory/entries:sync', { project_id: project.id, files }),
  );

const hostileFiles: [string, string][] = [
  ['a heading of blanks and #', file('', `# a${fill(' #')}`)],
  ['a heading of blanks', file('', `# a${fill(' ')}#x`)],
  ['empty headings', file('', fill('# \n'))],
  ['a heading of maximum length', file('', `# a${fill(' \t', LONGEST_BODY)}#b`)],
  ['the maximum number of headings', file('', fill('#\t\n', LONGEST_BODY))],
  ['20,000 keys', file(numbered((n) => `key${n}: 1\n`, 300_000))],
  ['keys on one line', file(`a: {${numbered((n) => `k${n}: 1,`)}}`)],
  ['the maximum number of keys', file(numbered((n) => `k${n}: 1\n`, 16_000))],
  ['deeply nested lists', file(`a: ${fill('[')}`)],
  ['a few nested lists', file(`a: ${fill('[', 16_000)}`)],
  ['commas', file(`a: [${fill(',', 1400)}`)],
  [
    'an alias bomb',
    file(numbered((n) => `a${n}: &a${n} [${n > 0 ? fill(`*a${n - 1},`, 40) : 'x'}]\n`, 2000)),
  ],
  ['aliases', file(numbered((n) => `a${n}: &a${n} 1\nb${n}: *a${n}\n`, 2500))],
  ['wrong escapes', file(`a: "${fill('\\q')}"`)],
  ['folded blanks', file(`a: "x\n${fill(' ', 8000)}${fill('y', 8000)}"`)],
  ['unclosed front matter', `---\n${fill('--- x\n')}`],
  ['front matter of blank lines', `---\n${fill('\n', SIZE / 2)}`],
  ['invalid rules', `---${fill(' ')}x`],
  ['anchors of slashes', file(`anchors: [${fill('a/', 1990)}, ${fill('./', 1990)}]`)],
  ['only line breaks', fill('\r\n', SIZE / 2)],
  ['surrogate pairs', file('', fill('\u{1f600}', LONGEST_BODY))],
];

describe('POST /api/v1/memory/entries:sync does not block the event loop', () => {
  it.each(hostileFiles)('%s', async (_, content) => {
    const { status, body } = await push([{ path: 'lessons/h/x.md', content }]);
    expect(status).toBe(200);
    expect(body.written.length + body.warnings.length).toBeGreaterThan(0);
  });

  it('with a path as long as the request', async () => {
    const { body } = await push([
      { path: `lessons/${fill('a/')}.md`, content: file('') },
      { path: fill('../', 100_000), content: file('') },
    ]);
    expect(body.warnings).toHaveLength(2);
    expect(JSON.stringify(body).length).toBeLessThan(5000);
  });

  it('with 1,000 files and 40,000 anchors, written twice', async () => {
    const anchors = Array.from({ length: 40 }, (_, number) => `f${number}`);
    const files = (more: string) =>
      Array.from({ length: 1000 }, (_, number) => ({
        path: `lessons/many/n${number}.md`,
        content: file(`anchors: [${anchors}${more}]`),
      }));
    const { status, body } = await push(files(''));
    expect(status).toBe(200);
    expect(body.written).toHaveLength(1000);
    const again = await push(files(', g'));
    expect(again.body.written.every(({ change }) => change === 'updated')).toBe(true);
  });

  it('and keeps the last good version of a capped file', async () => {
    const path = 'lessons/h/kept.md';
    await push([{ path, content: file('anchors: [a.ts]', 'Good.') }]);
    const { body } = await push([{ path, content: file(numbered((n) => `k${n}: 1\n`, 300_000)) }]);
    expect(body).toMatchObject({
      written: [],
      removed: [],
      warnings: [`${path}: the front matter is larger than 16 KB`],
    });
    const found = await code.call<{ items: { body: string }[] }>(
      'GET',
      `/api/v1/memory/entries/search?project_id=${project.id}&anchor=a.ts`,
    );
    expect(found.body.items.map((item) => item.body)).toEqual(['Good.']);
  });
});

describe('Lesson reads do not block the event loop', () => {
  const hostilePaths = ['/', 'a/', './', '../', '#', 'a#.', 'a.', '.', ' ', 'é'];

  it.each(hostilePaths)('for repeated entries:near of %j', async (unit) => {
    const { status } = await watched(() =>
      code.call('POST', '/api/v1/memory/entries:near', {
        project_id: project.id,
        paths: [`a${fill(unit, SIZE / 2)}`],
      }),
    );
    expect([200, 422]).toContain(status);
  });

  it.each([' ', 'a ', '. ', 'İ'])('for repeated entries:similar to %j', async (unit) => {
    const { status } = await watched(() =>
      code.call('POST', '/api/v1/memory/entries:similar', { text: `a${fill(unit, SIZE / 2)}` }),
    );
    expect(status).toBe(200);
  });

  it.each(['%20', 'a%20', 'a/', 'a.'])('for repeated entries/search of %j', async (unit) => {
    for (const name of ['q', 'anchor', 'type', 'scope']) {
      const query = `anchor=a%23b&${name}=a${fill(unit, 12_000)}`;
      const { status } = await watched(() => code.call('GET', `/api/v1/memory/entries/search?${query}`));
      expect([200, 422]).toContain(status);
    }
  });
});
