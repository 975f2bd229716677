import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexOf, memoryId, type PackedMemory } from '../../../../tests/support/memory-index.js';
import { editDistance, findMatches, guessWords } from './matches.js';
import { findEntities, type QueryTerm, readQuestion, relateStems, VERB_FORMS } from './query-terms.js';
import { type Ranking, rank } from './ranking.js';

const term = (word: string, fields: Partial<QueryTerm> = {}): QueryTerm => ({
  word,
  stem: word,
  others: [],
  prefix: false,
  entity: false,
  part: false,
  ...fields,
});

type Named = Omit<PackedMemory, 'id'> & { name: string };

function order(memories: Named[], terms: QueryTerm[], fields: Partial<Ranking> = {}): string[] {
  const index = indexOf(memories.map((memory, i) => ({ id: memoryId(i), ...memory })));
  const ranked = rank(index, findMatches(index, terms), {
    findConfidence: (number) => index.documents.confidence[number],
    wordsFirst: 'no',
    limit: 50,
    meaning: undefined,
    terms,
    ...fields,
  });
  return ranked.map(({ id }) => memories[Number.parseInt(id.slice(24), 16)]!.name);
}

describe('readQuestion', () => {
  const analysed = (text: string, stems: string, words = stems, parts = '') => ({
    text,
    stems,
    words,
    parts,
  });

  it('joins stems with their words in the order of the question', () => {
    const { terms, keywords } = readQuestion(
      analysed('running tests', "'run':1 'test':2", "'running':1 'tests':2"),
    );
    expect(terms).toMatchObject([
      { stem: 'run', word: 'running', prefix: true },
      { stem: 'test', word: 'tests', prefix: true },
    ]);
    expect(keywords).toBe(true);
  });

  it('searches for stop words when the question has nothing else', () => {
    expect(readQuestion(analysed('who', '', "'who':1")).terms).toMatchObject([
      { word: 'who', stem: undefined },
    ]);
    expect(order([{ name: 'x', title: [], words: ['who'] }], [term('who', { stem: undefined })])).toEqual([
      'x',
    ]);
  });

  it('also searches for the words inside a camel case name, with less weight', () => {
    const { terms } = readQuestion(
      analysed('invoiceWriter', "'invoicewrit':1", "'invoicewriter':1", "'invoic':1 'writer':2"),
    );
    expect(terms.map(({ stem, part }) => [stem, part])).toEqual([
      ['invoicewrit', false],
      ['invoic', true],
      ['writer', true],
    ]);
  });
});

describe('findEntities', () => {
  it.each([
    ['What did Caroline say?', ['caroline']],
    ["Caroline's dog", ['caroline']],
    ['Where is the user_id set?', ['user_id', 'user', 'id']],
    ['Deploy the thing', []],
    ['It is late. Deploy the thing', []],
    ['WHAT DID CAROLINE SAY', []],
    ['find "blue door" now', ['blue', 'door']],
  ])('finds the names in %j: %j', (text, expected) => {
    expect([...findEntities(text)]).toEqual(expected);
  });
});

describe('rank', () => {
  it('ranks a rare word above a common one', () => {
    const others = Array.from({ length: 30 }, (_, i) => ({ name: `${i}`, body: ['deploy', `${i}`] }));
    expect(
      order([...others, { name: 'rare', body: ['falcon', 'x'] }], [term('deploy'), term('falcon')])[0],
    ).toBe('rare');
  });

  it('ranks title above body, body above description, and a word above a part of a name and a prefix', () => {
    const memories: Named[] = [
      { name: 'beginning', body: ['owleri'], words: ['owlery'] },
      { name: 'part', body: ['owlcag'], parts: ['owl', 'cage'] },
      { name: 'aside', body: ['x'], aside: ['owl'] },
      { name: 'body', body: ['owl'] },
      { name: 'title', title: ['owl'] },
    ];
    expect(order(memories, [term('owl', { prefix: true })], { wordsFirst: 'complete' })).toEqual([
      'title',
      'body',
      'aside',
      'part',
      'beginning',
    ]);
  });

  it('orders equal matches by importance, confidence and age', () => {
    const body = ['owl'];
    const memories: Named[] = [
      { name: 'old', body },
      { name: 'new', body, createdAt: new Date(1) },
      { name: 'sure', body, confidence: 0.9 },
      { name: 'high', body, importance: 3, confidence: 0.3 },
    ];
    expect(order(memories, [term('owl')])).toEqual(['high', 'sure', 'new', 'old']);
  });

  it('combines words, meaning and names, and estimates the meaning of a memory without a vector', () => {
    const memories: Named[] = [
      { name: 'words', body: ['owl'] },
      { name: 'both', body: ['owl'] },
      { name: 'meaning', body: ['x'] },
      { name: 'far', body: ['y'] },
      { name: 'unknown', body: ['z'] },
    ];
    const cosines = [-0.5, 0.6, 0.7, 0.19, undefined];
    const meaning = { compare: () => (number: number) => cosines[number], least: 0.2 };
    expect(order(memories, [term('owl')], { meaning })).toEqual(['both', 'meaning', 'words']);
    const unknown = { compare: () => () => undefined, least: 0.2 };
    expect(order(memories, [term('owl')], { meaning: unknown })).toEqual(['both', 'words']);
  });
});

describe('Exact order', () => {
  const WORDS = ['owl', 'nest', 'tree', 'night', 'mouse', 'wing'];
  const words = fc.array(fc.constantFrom(...WORDS, 'p', 'q', 'r', 's'), { maxLength: 6 });
  const memory = fc.record({
    title: words,
    body: words,
    aside: words,
    importance: fc.integer({ min: 1, max: 4 }),
  });
  const asked = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 });

  /** Scores every memory separately, by the formula in the docs. */
  function bruteForce(
    memories: Required<Pick<PackedMemory, 'title' | 'body' | 'aside' | 'importance'>>[],
    terms: string[],
  ) {
    const count = (list: string[], word: string, most: number) =>
      Math.min(most, list.filter((each) => each === word).length);
    const lengths = memories.map(({ title, body }) => new Set([...title, ...body]).size);
    const average = Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / memories.length);
    const weigh = (i: number, word: string) =>
      3 * count(memories[i]!.title, word, 3) +
      count(memories[i]!.body, word, 15) +
      0.4 * count(memories[i]!.aside, word, 3);
    const idf = (word: string) => {
      const frequency = memories.filter((_, i) => weigh(i, word) > 0).length;
      return Math.log(1 + (memories.length - frequency + 0.5) / (frequency + 0.5));
    };
    return memories
      .map((each, i) => {
        const score = terms.reduce((sum, word) => {
          const tf = weigh(i, word) / (0.6 + (0.4 * lengths[i]!) / average);
          return sum + (idf(word) * tf * 2.2) / (tf + 1.2);
        }, 0);
        return { i, score, importance: each.importance };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || b.importance - a.importance || b.i - a.i);
  }

  it('equals scoring every memory, and the first results are the same for any limit', () => {
    fc.assert(
      fc.property(fc.array(memory, { minLength: 1, maxLength: 150 }), asked, (memories, terms) => {
        const named = memories.map((each, i) => ({ ...each, name: `${i}` }));
        const whole = order(
          named,
          terms.map((word) => term(word)),
          { limit: 150 },
        );
        const expected = bruteForce(memories, terms);
        expect(whole).toHaveLength(expected.length);
        const scores = new Map(expected.map(({ i, score }) => [`${i}`, score]));
        // Matches within one percent are equal; beyond two steps the order follows the scores.
        whole.slice(1).forEach((name, at) => {
          expect(Math.log(scores.get(name)!) - Math.log(scores.get(whole[at]!)!)).toBeLessThanOrEqual(0.01);
        });
        for (const limit of [1, 2, 10, 49, 50])
          expect(
            order(
              named,
              terms.map((word) => term(word)),
              { limit },
            ),
          ).toEqual(whole.slice(0, limit));
      }),
      { numRuns: 60 },
    );
  });
});

describe('Verb forms', () => {
  it('find one form by another', () => {
    const related = relateStems(new Map(VERB_FORMS.flat().map((form) => [form, form])));
    const [asked] = readQuestion({ text: 'go', stems: "'go':1", words: "'go':1", parts: '' }, related).terms;
    expect(asked!.others).toEqual(['went', 'gone']);
    expect(order([{ name: 'x', body: ['went'] }], [asked!])).toEqual(['x']);
  });
});

describe('Typos', () => {
  it('count insertions, deletions, changes and swaps', () => {
    expect(editDistance('deploy', 'depoly')).toBe(1);
    expect(editDistance('postgres', 'postgers')).toBe(1);
    expect(editDistance('kubernetes', 'kuberntes')).toBe(1);
    expect(editDistance('abc', 'xyz', 1)).toBe(2);
  });

  it('are corrected to the nearest words of active memories, except very short ones', () => {
    const index = indexOf([
      { id: memoryId(1), body: ['deploy', 'depot', 'employ', 'abc'] },
      { id: memoryId(2), body: ['depolys'], status: 2 },
    ]);
    expect(guessWords('depoly', index)).toEqual(['deploy']);
    expect(guessWords('zebra', index)).toEqual([]);
    expect(guessWords('ab', index)).toEqual([]);
  });
});
