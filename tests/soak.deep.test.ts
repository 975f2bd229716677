import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compare, emptyLedger } from '../bench/soak/ledger.js';
import { soak } from '../bench/soak/soak.js';

it('a soak run with killed processes loses and repeats no acknowledged write', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-soak-'));
  await chmod(folder, 0o755);
  const report = await soak(folder, { seconds: 30, callers: 6, every: 4, say: () => {} });
  await rm(folder, { recursive: true, force: true });
  expect(report.wrong).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(0);
  expect(Object.keys(report.disasters)).toContain('a node killed');
});

describe('The soak report', () => {
  const ledger = emptyLedger();
  ledger.cards.set('1', { title: 'One', comments: 1 });
  ledger.memories.add('Learned');
  const card = { title: 'One', comments: 1 };

  it.each([
    ['a lost card', [], ['Learned'], 'The card 1 was acknowledged and is gone'],
    [
      'a lost change',
      [['1', { ...card, title: 'Before' }]],
      ['Learned'],
      'The card 1 has the title Before instead of One',
    ],
    [
      'a duplicate comment',
      [['1', { ...card, comments: 2 }]],
      ['Learned'],
      'The card 1 has 2 comments instead of 1',
    ],
    [
      'a card that no caller created',
      [
        ['1', card],
        ['2', card],
      ],
      ['Learned'],
      'The card 2 was created without an acknowledgment',
    ],
    ['a lost memory', [['1', card]], [], 'The memory Learned is there 0 times'],
    ['a duplicate memory', [['1', card]], ['Learned', 'Learned'], 'The memory Learned is there 2 times'],
  ] as [string, [string, typeof card][], string[], string][])('%s', (_, cards, memories, finding) => {
    expect(compare(ledger, { cards: new Map(cards), memories })).toEqual([finding]);
  });

  it('accepts either outcome of a change whose answer was lost', () => {
    const unsure = emptyLedger();
    unsure.cards.set('1', { title: 'One', perhaps: 'Two', comments: 0 });
    for (const title of ['One', 'Two'])
      expect(compare(unsure, { cards: new Map([['1', { title, comments: 0 }]]), memories: [] })).toEqual([]);
  });
});
