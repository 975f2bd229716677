import { describe, expect, it } from 'vitest';
import type { FileMove } from '../../projects/index.js';
import { mapPlace } from './comment-places.js';

/** Parses a hunk header such as `-3,2 +3`. */
const shift = (text: string) => {
  const [, oldStart, oldCount = 1, newStart, newCount = 1] = /^-(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?$/
    .exec(text)!
    .map((part) => (part === undefined ? undefined : Number(part)));
  return { oldStart: oldStart!, oldCount, newStart: newStart!, newCount };
};
const moved = (path: string | null, ...pieces: string[]): FileMove => ({ path, shifts: pieces.map(shift) });
const lines = (move: FileMove | undefined, ...asked: number[]) =>
  asked.map((line) => mapPlace({ path: 'a.ts', line }, move)?.line);

describe('The current line of a comment', () => {
  it('is the same when the file did not change', () => {
    expect(mapPlace({ path: 'a.ts', line: 7 }, undefined)).toEqual({ path: 'a.ts', line: 7 });
  });

  it('moves down after inserted lines, and stays before them', () => {
    expect(lines(moved('a.ts', '-3,0 +4,2'), 1, 3, 4, 9)).toEqual([1, 3, 6, 11]);
    expect(lines(moved('a.ts', '-0,0 +1,5'), 1, 2)).toEqual([6, 7]);
  });

  it('moves up after removed lines, and is gone with them', () => {
    expect(lines(moved('a.ts', '-3,2 +2,0'), 2, 3, 4, 5)).toEqual([2, undefined, undefined, 3]);
    expect(lines(moved('a.ts', '-1 +0,0'), 1, 2)).toEqual([undefined, 1]);
  });

  it('is gone when the line was replaced', () => {
    expect(lines(moved('a.ts', '-5 +5'), 4, 5, 6)).toEqual([4, undefined, 6]);
  });

  it('adds up all hunks before it', () => {
    const move = moved('a.ts', '-2,0 +3,3', '-10,4 +14', '-20 +21,2');
    expect(lines(move, 2, 3, 9, 10, 13, 14, 19, 20, 21)).toEqual([
      2,
      6,
      12,
      undefined,
      undefined,
      14,
      19,
      undefined,
      22,
    ]);
  });

  it('follows a renamed file, and is gone when the file is removed', () => {
    expect(mapPlace({ path: 'a.ts', line: 4 }, moved('b.ts', '-1,0 +2'))).toEqual({ path: 'b.ts', line: 5 });
    expect(mapPlace({ path: 'a.ts', line: null }, moved('b.ts'))).toEqual({ path: 'b.ts', line: null });
    expect(mapPlace({ path: 'a.ts', line: 4 }, moved(null))).toBeUndefined();
    expect(mapPlace({ path: 'a.ts', line: null }, moved(null))).toBeUndefined();
  });
});
