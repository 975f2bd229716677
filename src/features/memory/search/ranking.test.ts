import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLexeme, hasLexemeStarting, parseVector, quoteLexeme } from './lexemes.js';
import { findEntities, type QueryTerm, readQueryTerms, termQueries } from './query-terms.js';
import { type Candidate, inverseFrequency, rankCandidates } from './ranking.js';
import { editDistance, guessWords } from './typos.js';
import { relateStems, VERB_FORMS } from './verb-forms.js';

const term = (word: string, fields: Partial<QueryTerm> = {}): QueryTerm => ({
  word,
  stem: word,
  others: [],
  prefix: false,
  entity: false,
  ...fields,
});
const candidate = (id: string, vector: string, fields: Partial<Candidate> = {}): Candidate => ({
  id,
  title: id,
  vector,
  length: parseVector(vector).size,
  importance: 'normal',
  confidence: 0.8,
  createdAt: new Date(0),
  ...fields,
});
const order = (
  candidates: Candidate[],
  terms: QueryTerm[],
  frequencies = terms.map(() => 1),
  documents = 100,
) => rankCandidates(candidates, terms, { documents, frequencies }).map(({ id }) => id);

describe('parseVector', () => {
  it('reads zones, positions and quoted characters', () => {
    const vector = parseVector(`'cat':1A,3B 'it''s':4C 'a\\\\b':2 'bare'`);
    expect(vector.get('cat')).toMatchObject({ title: 1, body: 1, places: '1A,3B' });
    expect(vector.get("it's")).toMatchObject({ aside: 1 });
    expect(vector.get('a\\b')).toMatchObject({ word: 1 });
    expect(vector.has('bare')).toBe(true);
  });

  it('reads back whatever a lexeme is quoted as', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (lexeme) => {
        const text = `'before':1 ${quoteLexeme(lexeme)}:1A,2 'zz':3B`;
        expect([...parseVector(text).keys()]).toContain(lexeme);
        if (lexeme !== 'before') expect(findLexeme(text, lexeme)).toMatchObject({ title: 1, word: 1 });
        expect(hasLexemeStarting(text, lexeme)).toBe(true);
      }),
    );
  });
});

describe('readQueryTerms', () => {
  it('joins stems with their words, in the order they were asked', () => {
    const terms = readQueryTerms({
      text: 'running tests',
      stems: "'run':1 'test':2",
      words: "'running':1 'tests':2",
    });
    expect(terms).toMatchObject([
      { stem: 'run', word: 'running', prefix: true },
      { stem: 'test', word: 'tests', prefix: true },
    ]);
  });

  it('asks long questions for whole words only', () => {
    const terms = readQueryTerms({
      text: 'a b c d',
      stems: "'aa':1 'bb':2 'cc':3 'dd':4",
      words: "'aa':1 'bb':2 'cc':3 'dd':4",
    });
    expect(terms.every(({ prefix }) => !prefix)).toBe(true);
  });

  it('looks for stop words when nothing else was asked', () => {
    expect(readQueryTerms({ text: 'who', stems: '', words: "'who':1" })).toMatchObject([
      { word: 'who', stem: undefined },
    ]);
    expect(termQueries(term('who', { stem: undefined })).anywhere).toBe("'who':D");
  });
});

describe('findEntities', () => {
  it.each([
    ['What did Caroline say?', ['caroline']],
    ["Caroline's dog", ['caroline']],
    ['Where is the user_id set?', ['user_id', 'user', 'id']],
    ['Deploy the thing', []],
    ['WHAT DID CAROLINE SAY', []],
    ['find "blue door" now', ['blue', 'door']],
  ])('in %j: %j', (text, expected) => {
    expect([...findEntities(text)]).toEqual(expected);
  });
});

describe('rankCandidates', () => {
  it('puts a rare word above a common one', () => {
    const common = candidate('common', "'deploy':1B");
    const rare = candidate('rare', "'falcon':1B");
    expect(order([common, rare], [term('deploy'), term('falcon')], [60, 2])).toEqual(['rare', 'common']);
  });

  it('puts a title above a body, a body above an aside, a word above its beginning', () => {
    const candidates = [
      candidate('beginning', "'owlery':1D"),
      candidate('aside', "'owl':1C"),
      candidate('body', "'owl':1B"),
      candidate('title', "'owl':1A"),
    ];
    expect(order(candidates, [term('owl', { prefix: true })])).toEqual([
      'title',
      'body',
      'aside',
      'beginning',
    ]);
  });

  it('lifts a memory that has the named person', () => {
    const named = candidate('named', "'anna':1B 'x':2B");
    const other = candidate('other', "'trip':1B 'x':2B");
    expect(order([other, named], [term('trip'), term('anna', { entity: true })], [10, 10])).toEqual([
      'named',
      'other',
    ]);
  });

  it('leaves equal matches to importance, confidence and age', () => {
    const vector = "'owl':1B";
    const candidates = [
      candidate('old', vector),
      candidate('new', vector, { createdAt: new Date(1) }),
      candidate('sure', vector, { confidence: 0.9 }),
      candidate('high', vector, { importance: 'high', confidence: 0.3 }),
    ];
    expect(order(candidates, [term('owl')])).toEqual(['high', 'sure', 'new', 'old']);
  });

  it('never scores below zero, whatever the counts', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (documents, frequency) => {
        expect(inverseFrequency(documents, frequency)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('verb forms', () => {
  it('finds one form by another', () => {
    const related = relateStems(new Map(VERB_FORMS.flat().map((form) => [form, form])));
    const [asked] = readQueryTerms({ text: 'go', stems: "'go':1", words: "'go':1" }, related);
    expect(asked!.others).toEqual(['went', 'gone']);
    expect(order([candidate('x', "'went':1B")], [asked!])).toEqual(['x']);
    expect(termQueries(asked!).title).toBe("'go':A | 'went':A | 'gone':A");
  });
});

describe('typing errors', () => {
  it('counts insertions, deletions, changes and swaps', () => {
    expect(editDistance('deploy', 'depoly')).toBe(1);
    expect(editDistance('postgres', 'postgers')).toBe(1);
    expect(editDistance('kubernetes', 'kuberntes')).toBe(1);
    expect(editDistance('abc', 'xyz', 1)).toBe(2);
  });

  it('guesses the nearest words only, and never for very short ones', () => {
    expect(guessWords('depoly', ['deploy', 'depot', 'employ'])).toEqual(['deploy']);
    expect(guessWords('zebra', ['deploy'])).toEqual([]);
    expect(guessWords('ab', ['abc'])).toEqual([]);
  });
});
