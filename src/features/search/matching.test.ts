import { describe, expect, it } from 'vitest';
import { cutSnippet, findWords, rankName, readWords } from './matching.js';

const marked = (text: string, asked: string) =>
  findWords(text, readWords(asked)).marks.map(({ from, to }) => text.slice(from, to));

describe('readWords', () => {
  it.each([
    ['Login  TIME', ['login', 'time']],
    ['login Login', ['login']],
    ["it's PB-322!", ['it', 's', 'pb', '322']],
    ['Größe Café ﬁsh', ['grosse', 'cafe', 'fish']],
    ['🎉 ... :*', []],
  ])('returns for %j the words %j', (text, words) => {
    expect(readWords(text)).toEqual(words);
  });
});

describe('findWords', () => {
  it.each([
    ['Login, relogin and LOGINS', 'login', ['Login', 'LOGIN']],
    ['relogin', 'login', ['login']],
    ['invoiceWriter', 'writer', ['Writer']],
    ['le cafe\u0301 et le café', 'cafe', ['cafe\u0301', 'café']],
    ['a banana', 'a', ['a']],
    ['loginlogin', 'login', ['login']],
    ['the time', 'ti the', ['the', 'ti']],
    ['👩‍💻 İstanbul', 'istanbul', ['İstanbul']],
  ])('marks in %j for %j: %j', (text, asked, expected) => {
    expect(marked(text, asked)).toEqual(expected);
  });

  it('counts how many of the words the text contains', () => {
    expect(findWords('one two', ['one', 'two', 'three']).words).toBe(2);
  });

  it('merges overlapping marks', () => {
    expect(findWords('loginpage', ['login', 'loginpage']).marks).toEqual([{ from: 0, to: 9 }]);
  });
});

describe('cutSnippet', () => {
  const long = `${'word '.repeat(100)}needle${' word'.repeat(100)}`;

  it('returns a short text in full, on one line', () => {
    expect(cutSnippet('one\n\ttwo', [{ from: 5, to: 8 }])).toEqual({
      snippet: 'one  two',
      marks: [{ from: 5, to: 8 }],
    });
  });

  it('cuts around the first mark, and shifts the marks', () => {
    const { snippet, marks } = cutSnippet(long, findWords(long, ['needle']).marks);
    expect(snippet).toMatch(/^…word .*needle.*…$/);
    expect(marks.map(({ from, to }) => snippet.slice(from, to))).toEqual(['needle']);
  });

  it('does not split a character', () => {
    const faces = '😀'.repeat(400);
    for (const shift of ['', 'x'])
      for (const from of [0, 300, 301])
        expect(cutSnippet(`${shift}${faces}`, [{ from, to: from + 2 }]).snippet.isWellFormed()).toBe(true);
  });
});

describe('rankName', () => {
  it('ranks the whole name before its start, words in it, and parts of words', () => {
    const names = ['Reef', 'Reef watch', 'The reef', 'Coralreef', 'Watch'];
    expect(names.map((name) => rankName(name, ['reef']))).toEqual([3, 2, 1, 0, undefined]);
  });
});
