import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { AnalysisEnded, type AnalysisThread, createAnalysisThread } from './analysis-thread.js';
import type { AnalyzedChange } from './analyze-change.js';

let analysisThread: AnalysisThread;
afterEach(() => analysisThread.end());

const change = (path: string): AnalyzedChange => ({
  files: [{ path, from: null, stays: true, before: null, after: 'TODO', unread: false }],
  leftOut: 0,
  ground: { named: [], near: [], footprint: null },
  succeeded: true,
});

/** A worker that answers every change except the one named `endless`. */
const startScript = () =>
  new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', ({ files: [{ path }] }) => {
       parentPort.postMessage('started');
       if (path === 'endless') for (;;);
       parentPort.postMessage({ notes: [], facts: {} });
     });`,
    { eval: true },
  );

describe('Diff analysis thread', () => {
  it('alternates between workspaces', async () => {
    analysisThread = createAnalysisThread();
    const ended: string[] = [];
    const run = (brandId: number, name: string) =>
      analysisThread.analyze(brandId, change(`${name}.ts`)).then(() => ended.push(name));
    await Promise.all([run(1, 'first'), run(1, 'second'), run(1, 'third'), run(2, 'other')]);
    expect(ended.indexOf('other')).toBeLessThan(ended.indexOf('third'));
  });

  it('aborts an analysis that never ends and continues with the next change', async () => {
    analysisThread = createAnalysisThread(startScript);
    const endless = analysisThread.analyze(1, change('endless'));
    const next = analysisThread.analyze(1, change('next'));
    await expect(endless).rejects.toThrow(AnalysisEnded);
    expect(await next).toMatchObject({ notes: [] });
  });

  it('stops at its time limit and names the files it did not analyze', async () => {
    analysisThread = createAnalysisThread();
    const after = 'a(){}'.repeat(1000);
    const files = Array.from({ length: 3000 }, (_, index) => ({
      ...change(`a${index}.java`).files[0]!,
      after,
    }));
    const { notes } = await analysisThread.analyze(1, { ...change(''), files });
    expect(notes[0]).toMatchObject({
      kind: 'not_read',
      text: expect.stringContaining('were not analyzed: a'),
    });
  });
});
