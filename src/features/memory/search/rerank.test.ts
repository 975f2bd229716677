import { expect, it } from 'vitest';
import { computingTime } from '../../../../tests/support/event-loop.js';
import { buildPrompt } from './rerank.js';

const notes = (length: number) =>
  Array.from({ length: 100 }, (_, index) => ({
    id: String(index),
    kind: 'fact',
    title: 'A note',
    // A text of its own each time, as it comes from the database.
    body: Buffer.alloc(length, '&a').toString(),
  }));

it('builds the prompt from long notes as fast as from short ones', () => {
  const [short, long] = [notes(2_000), notes(1_000_000)];
  const measure = (candidates: ReturnType<typeof notes>) =>
    computingTime(() => {
      for (let times = 0; times < 5; times += 1) buildPrompt('&'.repeat(8000), candidates);
    });
  measure(short);
  // Joining the long ones takes some hundred times as long as the prompt.
  expect(measure(long)).toBeLessThan(20 * (measure(short) + 1));
});
