import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, describe, expect } from 'vitest';
import { itUsually as it, itDeeply } from '../../../tests/support/deep.js';
import { emptyFacts } from './facts.js';
import { ParserPool, readFacts } from './parser-pool.js';

/** Responds with the path, except for `ends`, which exits the thread, and `hangs`, which never returns. */
const program = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (questions) => {
    const paths = questions.map(({ path }) => path);
    if (paths.includes('ends')) process.exit(1);
    if (paths.includes('hangs')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    parentPort.postMessage(paths);
  });
`;
const NOTHING = JSON.stringify(emptyFacts());
/** Much longer than a thread takes to start on a busy machine. */
const TIMEOUT_MS = 8000;

let pool: ParserPool;
let started = 0;

function open(timeoutMs?: number): ParserPool {
  started = 0;
  const start = () => {
    started++;
    return new Worker(program, { eval: true });
  };
  pool = new ParserPool(2, { start, timeoutMs });
  return pool;
}
afterEach(() => pool?.close());

const parse = (path: string) => pool.parse(path, 'javascript', new Uint8Array(1));
const parseAll = (paths: readonly string[]) => Promise.all(paths.map((path) => parse(path)));
const names = (count: number) => Array.from({ length: count }, (_, number) => `file ${number}`);

describe('Parser pool', () => {
  it('returns the facts of each file', async () => {
    open();
    expect(await parseAll(names(100))).toEqual(names(100));
    expect(started).toBe(2);
  });

  it('loses only the file that crashes a thread', async () => {
    open();
    const paths = [...names(10), 'ends', ...names(20)];
    expect(await parseAll(paths)).toEqual(paths.map((path) => (path === 'ends' ? NOTHING : path)));
    expect(await parse('next')).toBe('next');
  });

  itDeeply('returns no facts only for the file that hangs a thread', async () => {
    open(TIMEOUT_MS);
    const paths = [...names(3), 'hangs', ...names(20)];
    expect(await parseAll(paths)).toEqual(paths.map((path) => (path === 'hangs' ? NOTHING : path)));
  });

  it('resolves all waiting files without facts when closed, and starts no more threads', async () => {
    open();
    const asked = parseAll(['hangs', ...names(40)]);
    await expect.poll(() => started).toBe(2);
    await pool.close();
    const [hanging] = await asked;
    expect(hanging).toBe(NOTHING);
    expect(await parse('late')).toBe(NOTHING);
    expect(started).toBe(2);
  });
});

describe('Parsing nested code', () => {
  const parsers = new ParserPool(1);
  afterAll(() => parsers.close());
  async function namesIn(source: string): Promise<string[]> {
    const { symbols } = readFacts(await parsers.parse('deep.ts', 'javascript', Buffer.from(source)));
    return symbols.map(({ name }) => name);
  }

  const inBraces = (depth: number) => `function whole() ${'{'.repeat(depth)}${'}'.repeat(depth)}`;
  // The source has 5 other tokens: the closing brace, `const`, a name, `=` and the number.
  const inSigns = (tokens: number) => `function whole() {} const much = ${'!'.repeat(tokens - 5)}1;`;

  it.each([
    ['5,000 brackets', inBraces(5000), ['whole']],
    ['5,001 brackets', inBraces(5001), []],
    ['10,000 unclosed tokens', inSigns(10_000), ['whole']],
    ['10,001 unclosed tokens', inSigns(10_001), []],
    ['words of other scripts, each one token', `${inSigns(9999).slice(0, -2)}éé;`, ['whole']],
  ])('finds the expected symbols in %s', async (_, source, names) => {
    expect(await namesIn(source)).toEqual(names);
  });
});
