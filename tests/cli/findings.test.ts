import { expect, it } from 'vitest';
import { findingsOf } from '../../cli/src/build-facts.js';
import type { Build } from '../../client/src/index.js';

const withNotes = (notes: object[]) => ({ gate: { notes } }) as unknown as Build;

it('guildhall builds show lists each finding with its kind, and its file and line if known', () => {
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

it('guildhall builds show omits the list without findings or without a diff analysis', () => {
  expect(findingsOf(withNotes([]))).toBe('');
  expect(findingsOf({ gate: null } as unknown as Build)).toBe('');
});
