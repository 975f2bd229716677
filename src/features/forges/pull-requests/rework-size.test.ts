import { describe, expect, it } from 'vitest';
import type { HostFeedback } from '../../builds/builds.service.js';
import { limitSize } from './rework-size.js';

const empty: HostFeedback = { because: ['checks'], pull_request: 1, checks: [], comments: [], files: [] };
const comment = { path: 'a.ts', line: 1, author: 'rita', body: 'Hm', at: '2026-01-01T00:00:00Z' };

describe('limitSize', () => {
  it('keeps the last 200 lines of a log and at most 64 KB', () => {
    const log = Array.from({ length: 201 }, (_, n) => `line ${n}`).join('\n');
    const [first] = limitSize({
      ...empty,
      checks: [{ name: 'tests', summary: null, log: `${log}\n\n` }],
    }).checks;
    expect(first!.log!.split('\n')).toHaveLength(200);
    expect(first!.log).toMatch(/^line 1\n[\s\S]*line 200$/);
    const long = limitSize({
      ...empty,
      checks: [{ name: 'tests', summary: null, log: 'é'.repeat(100_000) }],
    });
    expect(Buffer.byteLength(long.checks[0]!.log!)).toBeLessThanOrEqual(64 * 1024 + 10);
    expect(long.checks[0]!.log).toMatch(/^\[cut\] é+$/);
  });

  it('keeps at most 20 checks, the newest 100 comments and 200 files', () => {
    const many = limitSize({
      ...empty,
      checks: Array.from({ length: 30 }, (_, n) => ({ name: `${n}`, summary: null, log: null })),
      comments: Array.from({ length: 150 }, (_, n) => ({ ...comment, body: `${n}` })),
      files: Array.from({ length: 300 }, (_, n) => `${n}.ts`),
    });
    expect([many.checks.length, many.comments.length, many.files.length]).toEqual([20, 100, 200]);
    expect([many.comments[0]!.body, many.comments.at(-1)!.body]).toEqual(['50', '149']);
  });

  it('keeps at most 512 KB in total', () => {
    const log = '"\\\u0001'.repeat(30_000);
    const body = '\u0001'.repeat(100_000);
    const full = limitSize({
      ...empty,
      checks: Array.from({ length: 20 }, (_, n) => ({ name: `${n}`, summary: body, log })),
      comments: Array.from({ length: 100 }, () => ({ ...comment, body, author: body, path: body })),
      files: Array.from({ length: 200 }, () => body),
    });
    expect(Buffer.byteLength(JSON.stringify(full))).toBeLessThanOrEqual(512 * 1024);
    expect(full.checks).toHaveLength(20);
    expect(full.comments.length).toBeGreaterThan(0);
  });

  it('removes characters that the database rejects', () => {
    const nasty = 'a\0b\uD800c';
    const kept = limitSize({
      ...empty,
      checks: [{ name: nasty, summary: nasty, log: nasty }],
      comments: [{ ...comment, path: nasty, author: nasty, body: nasty }],
      files: [nasty],
    });
    expect(JSON.stringify(kept)).not.toMatch(/\\u0000|\\ud800/i);
    expect(kept.checks[0]).toEqual({ name: 'ab\uFFFDc', summary: 'ab\uFFFDc', log: 'ab\uFFFDc' });
  });
});
