/** WordPiece tokenizer. Returns the token ids of a text, including the start and end tokens. */
type Tokenizer = (text: string, most: number) => number[];

const LONGEST_WORD = 100;
/** Text beyond this length never fits into the model's input, unless it is mostly blanks. */
const MOST_CHARACTERS = 16_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what cannot be read is left out
const UNREADABLE = /[\u0000\ufffd\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const ACCENTS = /\p{Mn}/gu;
/** Punctuation as in the training data: every ASCII sign, including symbols. */
const WORDS_AND_SIGNS =
  /[!-/:-@[-`{-~\p{P}]|[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]|[^\s!-/:-@[-`{-~\p{P}\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]+/gu;

export function createTokenizer(description: unknown): Tokenizer {
  const { vocab } = (description as { model: { vocab: Record<string, number> } }).model;
  const pieces = new Map(Object.entries(vocab));
  const numberOf = (mark: string): number => {
    const number = pieces.get(mark);
    if (number === undefined) throw new Error(`The vocabulary holds no ${mark}`);
    return number;
  };
  const begin = numberOf('[CLS]');
  const end = numberOf('[SEP]');
  const unknown = numberOf('[UNK]');

  /** Greedy longest match. A word with an unknown part is unknown as a whole. */
  function cut(word: string): number[] {
    if (word.length > LONGEST_WORD) return [unknown];
    const found: number[] = [];
    for (let start = 0; start < word.length; ) {
      let stop = word.length;
      let number: number | undefined;
      for (; stop > start; stop -= 1) {
        const piece = word.slice(start, stop);
        number = pieces.get(start === 0 ? piece : `##${piece}`);
        if (number !== undefined) break;
      }
      if (number === undefined) return [unknown];
      found.push(number);
      start = stop;
    }
    return found;
  }

  return (text, most) => {
    const numbers = [begin];
    for (const [word] of normalise(text).matchAll(WORDS_AND_SIGNS)) {
      numbers.push(...cut(word));
      if (numbers.length >= most - 1) break;
    }
    return [...numbers.slice(0, most - 1), end];
  };
}

const normalise = (text: string): string =>
  text
    .slice(0, MOST_CHARACTERS)
    .toWellFormed()
    .replace(/[\t\n\r]/g, ' ')
    .replace(UNREADABLE, '')
    .normalize('NFD')
    .replace(ACCENTS, '')
    .toLowerCase();
