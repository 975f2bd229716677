import { expect, it } from 'vitest';
import { findingsOf } from '../../cli/src/build-facts.js';
import type { Build } from '../../client/src/index.js';

const withNotes = (notes: object[]) => ({ gate: { notes } }) as unknown as Build;

it('builds show lists each finding with its kind, its file and its line where there are any', () => {
  const notes = [
    { kind: 'secret', path: 'src/keys.ts', line: 12, text: 'seems to hold a secret' },
    { kind: 'stub', path: 'src/pay.ts', text: 'says itself that something is not done' },
    { kind: 'no_change', text: 'The build changes nothing but blanks' },
  ];
  expect(findingsOf(withNotes(notes)).split('\n')).toEqual([
    'Findings:',
    '  secret  src/keys.ts:12  seems to hold a secret',
    '  stub  src/pay.ts  says itself that something is not done',
    '  no_change  The build changes nothing but blanks',
  ]);
});

it('builds show has no list where nothing was found, or nobody looked', () => {
  expect(findingsOf(withNotes([]))).toBe('');
  expect(findingsOf({ gate: null } as unknown as Build)).toBe('');
});
