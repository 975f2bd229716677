import { describe, expect, it } from 'vitest';
import { computingTime } from '../../../tests/support/event-loop.js';
import { findMentions, pickPeople } from './notices.service.js';

const PEOPLE = new Map([
  ['ada', [1]],
  ['ada lindqvist', [2]],
  ['ada lindqvist berg', [3]],
  ['ben', [4]],
  ['ben.okafor', [5]],
  ["o'neil", [6]],
  ['zoë müller', [7]],
  ['twin', [8, 9]],
]);
const mentioned = (text: string) => pickPeople(findMentions(text), PEOPLE);

describe('A mention', () => {
  it.each([
    ['@Ada, please look', [1]],
    ['(@ada)', [1]],
    ['@ADA Lindqvist: look', [2]],
    ['@Ada Lindqvist Berg and @Ada', [3, 1]],
    ['@Ada Lindqvistson', [1]],
    ['thanks @ben.okafor.', [5]],
    ['thanks @ben.', [4]],
    ["@O'Neil's turn", []],
    ["@O'Neil, your turn", [6]],
    ['@Zoë Müller?', [7]],
    ['@twin', [8, 9]],
    ['first\n@ben\nlast', [4]],
  ])('in %j refers to %j, ignoring case and preferring the longest name', (text, expected) => {
    expect(mentioned(text)).toEqual(expected);
  });

  it.each([
    'write to ada@ben.example',
    'x@ben',
    '@ben@example.test',
    'a.@ben',
    '@ ben',
    '@@ben',
    '@benjamin',
    '@',
  ])('is not found in %j', (text) => {
    expect(mentioned(text)).toEqual([]);
  });

  it('is searched for at fifty places at most', () => {
    expect(findMentions('@ada '.repeat(1000))).toHaveLength(50);
  });

  it.each([' @ a', '\n@', '@. ', 'a@', '@@ -1 '])(
    'is found without blocking other requests in a mebibyte of %j',
    (piece) => {
      const text = piece.repeat(2 ** 20 / piece.length);
      expect(computingTime(() => void findMentions(text))).toBeLessThan(1500);
    },
  );
});
