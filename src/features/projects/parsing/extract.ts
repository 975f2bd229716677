import { emptyFacts, type FileFacts } from './facts.js';
import { extractJavaScript } from './javascript.js';
import { isBinary, isGenerated, type Language } from './languages.js';
import { extractWithGrammar } from './tree-sitter.js';

const MAX_NESTING = 5000;
const MAX_UNBROKEN_TOKENS = 10_000;

/** Facts of one blob. Text that is binary, generated or beyond the parser's depth has none; that is no failure. */
export async function extractFacts(path: string, language: Language, bytes: Uint8Array): Promise<FileFacts> {
  if (isBinary(bytes)) return emptyFacts();
  const source = new TextDecoder('utf-8').decode(bytes);
  if (language === 'manifest') return { ...emptyFacts(), manifest: source };
  if (isGenerated(source) || isTooDeep(source)) return emptyFacts();
  try {
    return language === 'javascript'
      ? extractJavaScript(path, source)
      : await extractWithGrammar(language, source);
  } catch {
    return emptyFacts();
  }
}

/** Parsers recurse in native code, where running out of stack ends the process: hostile nesting is refused before. */
export function isTooDeep(source: string): boolean {
  let depth = 0;
  let unbroken = 0;
  let inWord = false;
  for (let index = 0; index < source.length; index++) {
    const code = source.charCodeAt(index);
    if (code === 0x28 || code === 0x5b || code === 0x7b) {
      if (++depth > MAX_NESTING) return true;
    } else if (code === 0x29 || code === 0x5d || code === 0x7d) depth = Math.max(0, depth - 1);
    if (code === 0x3b || code === 0x2c || code === 0x7b || code === 0x7d) unbroken = 0;
    const isWord = isWordCode(code);
    if (code > 0x20 && !(isWord && inWord) && ++unbroken > MAX_UNBROKEN_TOKENS) return true;
    inWord = isWord;
  }
  return false;
}

function isWordCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code > 0x7f
  );
}
