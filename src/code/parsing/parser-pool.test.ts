import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect } from 'vitest';
import { itUsually as it, itDeeply } from '../../../tests/support/deep.js';
import { emptyFacts } from './facts.js';
import { ParserPool } from './parser-pool.js';

/** Answers with the path, except for files that end it or that it never comes back from. */
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
/** Far longer than a thread takes to start on a busy machine. */
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
afterEach(() => pool.close());

const parse = (path: string, bytes = 1) => pool.parse(path, 'javascript', new Uint8Array(bytes));
const parseAll = (paths: readonly string[]) => Promise.all(paths.map((path) => parse(path)));
const names = (count: number) => Array.from({ length: count }, (_, number) => `file ${number}`);

describe('Parsers', () => {
  it('give each file its own facts, however many are asked for at once', async () => {
    open();
    expect(await parseAll(names(100))).toEqual(names(100));
    expect(started).toBe(2);
  });

  it('take large files one by one', async () => {
    open();
    const sizes = [200_000, 1, 100_000, 100_000, 1, 1_000_000];
    const read = sizes.map((bytes, number) => parse(`${number}`, bytes));
    expect(await Promise.all(read)).toEqual(sizes.map((_, number) => `${number}`));
  });

  it('read all but the one file that ends a thread', async () => {
    open();
    const paths = [...names(10), 'ends', ...names(20)];
    expect(await parseAll(paths)).toEqual(paths.map((path) => (path === 'ends' ? NOTHING : path)));
    expect(await parse('next')).toBe('next');
  });

  itDeeply('read all but the one file that a thread does not come back from', async () => {
    open(TIMEOUT_MS);
    const paths = [...names(3), 'hangs', ...names(20)];
    expect(await parseAll(paths)).toEqual(paths.map((path) => (path === 'hangs' ? NOTHING : path)));
  });

  it('that are closed leave nobody waiting, and start nothing any more', async () => {
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
