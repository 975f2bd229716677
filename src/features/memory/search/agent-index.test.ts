import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexOf, memoryId, type PackedMemory, packMemory } from '../../../../tests/support/memory-index.js';
import { createAgentIndex, idOf } from './agent-index.js';
import { findMatches } from './matches.js';

describe('createAgentIndex', () => {
  const word = fc.constantFrom(...'abcdefghijklmnop');
  const change = fc.record({
    number: fc.integer({ min: 0, max: 20 }),
    title: fc.array(word, { maxLength: 4 }),
    body: fc.array(word, { maxLength: 40 }),
    gone: fc.boolean(),
  });
  const matchesOf = (index: ReturnType<typeof createAgentIndex>) => {
    const terms = [...'abcdefghijklmnop'].map((stem) => ({
      word: stem,
      stem,
      others: [],
      prefix: false,
      entity: false,
      part: false,
    }));
    const { documents, starts, weights, frequencies } = findMatches(index, terms);
    const found = documents.map((number, place) => ({
      id: idOf(index, number),
      length: index.documents.length[number],
      weights: weights.slice(starts[place], starts[place + 1]),
    }));
    return { found: found.sort((a, b) => (a.id < b.id ? -1 : 1)), frequencies };
  };

  it('equals a newly built index after any sequence of changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
        const index = createAgentIndex();
        const known = new Map<number, PackedMemory>();
        for (const { number, title, body, gone } of changes) {
          const memory = { id: memoryId(number), title, body };
          if (gone) {
            index.remove(memory.id);
            known.delete(number);
          } else {
            index.apply(packMemory(memory));
            known.set(number, memory);
          }
        }
        expect(matchesOf(index)).toEqual(matchesOf(indexOf([...known.values()])));
      }),
      { numRuns: 50 },
    );
  });

  it('closes the gaps that changed memories leave', () => {
    const index = createAgentIndex();
    const body = Array.from({ length: 500 }, (_, i) => `word${i}`);
    for (let i = 0; i < 100; i += 1) index.apply(packMemory({ id: memoryId(1), body }));
    expect(index.stems.used).toBeLessThan(20 * 500);
    expect(index.documents.ids.list.length).toBe(1);
  });
});
