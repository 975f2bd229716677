import { isBinary, isMarkedGenerated } from '../languages/file-kinds.js';
import type { Language } from '../languages/languages.js';
import { emptyFacts, type FileFacts } from './facts.js';
import { extractJavaScript } from './javascript.js';
import { readSource } from './tokens.js';
import { extractWithGrammar } from './tree-sitter.js';

const MAX_NESTING = 5000;
const MAX_UNBROKEN_TOKENS = 10_000;

/** Facts of one blob. Text that is binary, generated or beyond the parser's depth has none; that is no failure. */
export async function extractFacts(path: string, language: Language, bytes: Uint8Array): Promise<FileFacts> {
  if (isBinary(bytes)) return emptyFacts();
  const source = readSource(bytes);
  if (language === 'manifest') return { ...emptyFacts(), manifest: source.text };
  if (isMarkedGenerated(source.text) || isTooDeep(bytes)) return emptyFacts();
  try {
    return language === 'javascript'
      ? extractJavaScript(path, source)
      : await extractWithGrammar(language, source);
  } catch {
    return emptyFacts();
  }
}

/** What a byte means for the depth; whatever lies beyond ASCII is part of a word. */
const [BLANK, SIGN, WORD, OPENS, OPENS_ANEW, CLOSES, CLOSES_ANEW, PARTS] = [0, 1, 2, 3, 4, 5, 6, 7];
const meanings = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (byte > 0x7f || /[0-9A-Za-z]/.test(character)) return WORD;
  if (character === '{') return OPENS_ANEW;
  if (character === '}') return CLOSES_ANEW;
  if ('(['.includes(character)) return OPENS;
  if (')]'.includes(character)) return CLOSES;
  if (';,'.includes(character)) return PARTS;
  return byte > 0x20 ? SIGN : BLANK;
});

const isOpening = meanings.map((meaning) => Number(meaning === OPENS || meaning === OPENS_ANEW));

/** Parsers recurse in native code, where running out of stack ends the process: hostile nesting is refused before. */
function isTooDeep(source: Uint8Array): boolean {
  if (source.length <= MAX_UNBROKEN_TOKENS && !opensOften(source)) return false;
  let depth = 0;
  let unbroken = 0;
  let before = BLANK;
  for (let index = 0; index < source.length; index++) {
    const meaning = meanings[source[index]!]!;
    if (meaning > WORD) {
      if (meaning === OPENS || meaning === OPENS_ANEW) {
        if (++depth > MAX_NESTING) return true;
      } else if (meaning !== PARTS && depth > 0) depth--;
      if (meaning !== OPENS && meaning !== CLOSES) unbroken = 0;
    }
    if (meaning !== BLANK && !(meaning === WORD && before === WORD) && ++unbroken > MAX_UNBROKEN_TOKENS)
      return true;
    before = meaning;
  }
  return false;
}

/** Most files are so small that this tells it, and sooner. */
function opensOften(source: Uint8Array): boolean {
  let opens = 0;
  for (let index = 0; index < source.length; index++) opens += isOpening[source[index]!]!;
  return opens > MAX_NESTING;
}
