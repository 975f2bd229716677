/** Position of a word in a text, in UTF-16 code units. */
interface Mark {
  from: number;
  to: number;
}

interface Match {
  marks: Mark[];
  /** The number of the words that the text contains. */
  words: number;
}

interface Snippet {
  snippet: string;
  marks: Mark[];
}

const MOST_MARKS = 50;
const SNIPPET_CHARACTERS = 160;
const CHARACTERS_BEFORE = 24;

const WORD = /[\p{L}\p{N}]+/gu;
const IN_WORD = /[\p{L}\p{N}]/u;
const NOT_ASCII = /[^\p{ASCII}]/u;

/** Characters that Unicode does not decompose. The search index folds them the same way. */
const FOLDED: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };

function foldCharacter(character: string): string {
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return FOLDED[plain] ?? plain;
}

/** The distinct words of a query, in lower case and without accents. */
export const readWords = (text: string): string[] => [
  ...new Set([...text.matchAll(WORD)].map(([word]) => fold(word).text).filter((word) => word !== '')),
];

/** A text in lower case and without accents. `origin` maps a position in it to one in the original. */
function fold(text: string): { text: string; origin(at: number): number } {
  if (!NOT_ASCII.test(text)) return { text: text.toLowerCase(), origin: (at) => at };
  const origins: number[] = [];
  let folded = '';
  let at = 0;
  for (const character of text) {
    const kept = character <= '\x7f' ? character.toLowerCase() : foldCharacter(character);
    for (let i = 0; i < kept.length; i++) origins.push(at);
    folded += kept;
    at += character.length;
  }
  origins.push(text.length);
  return { text: folded, origin: (place) => origins[place] ?? text.length };
}

/**
 * Prefers matches at the start of a word over those inside one. A single character matches a whole word only.
 */
export function findWords(text: string, words: readonly string[]): Match {
  const folded = fold(text);
  const marks: Mark[] = [];
  let found = 0;
  for (const word of words) {
    const places = placesOf(text, folded, word);
    if (places.length > 0) found += 1;
    for (const place of places)
      marks.push({ from: folded.origin(place), to: folded.origin(place + word.length) });
  }
  return { marks: joinMarks(marks), words: found };
}

function placesOf(text: string, folded: ReturnType<typeof fold>, word: string): number[] {
  const beginnings: number[] = [];
  let inside: number | undefined;
  for (let at = folded.text.indexOf(word); at !== -1; at = folded.text.indexOf(word, at + word.length)) {
    if (word.length === 1 && IN_WORD.test(folded.text[at + 1] ?? '')) continue;
    if (beginsWord(text, folded, at)) beginnings.push(at);
    else inside ??= at;
    if (beginnings.length === MOST_MARKS) break;
  }
  if (beginnings.length > 0) return beginnings;
  return inside === undefined || word.length === 1 ? [] : [inside];
}

/** Capitals in a camel-case name also start words. */
function beginsWord(text: string, folded: ReturnType<typeof fold>, at: number): boolean {
  if (at === 0 || !IN_WORD.test(folded.text[at - 1]!)) return true;
  const [before, here] = [text[folded.origin(at - 1)]!, text[folded.origin(at)]!];
  return /\p{Lu}/u.test(here) && !/\p{Lu}/u.test(before);
}

function joinMarks(marks: Mark[]): Mark[] {
  const joined: Mark[] = [];
  for (const { from, to } of marks.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

/** The part of a text around its first mark, on one line. */
export function cutSnippet(text: string, marks: readonly Mark[]): Snippet {
  const line = text.replace(/[\s\p{Cc}]/gu, ' ');
  const start = startOf(line, marks[0]?.from ?? 0);
  const end = endOf(line, start);
  const before = start > 0 ? '…' : '';
  const shift = before.length - start;
  return {
    snippet: `${before}${line.slice(start, end)}${end < line.length ? '…' : ''}`,
    marks: marks
      .filter(({ from, to }) => from >= start && to <= end)
      .map(({ from, to }) => ({ from: from + shift, to: to + shift })),
  };
}

function startOf(line: string, mark: number): number {
  if (line.length <= SNIPPET_CHARACTERS || mark <= CHARACTERS_BEFORE) return 0;
  const from = mark - CHARACTERS_BEFORE;
  const space = line.indexOf(' ', from);
  return wholeCharacter(line, space === -1 || space >= mark ? from : space + 1);
}

function endOf(line: string, start: number): number {
  const end = start + SNIPPET_CHARACTERS;
  return end >= line.length ? line.length : wholeCharacter(line, end);
}

const wholeCharacter = (line: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(line[at] ?? '') ? at - 1 : at;

/**
 * Undefined when a word is missing. Otherwise 3 for the whole name, 2 for its start, 1 for starts of its
 * words, 0 for parts of words.
 */
export function rankName(name: string, words: readonly string[]): number | undefined {
  if (findWords(name, words).words < words.length) return undefined;
  const spaced = ` ${fold(name)
    .text.replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()}`;
  const asked = ` ${words.join(' ')}`;
  if (spaced === asked) return 3;
  if (spaced.startsWith(asked)) return 2;
  return words.every((word) => spaced.includes(` ${word}`)) ? 1 : 0;
}
