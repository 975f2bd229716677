import { Lexer } from 'yaml';

/**
 * Parsing time grows with the square of some of these, so a few kilobytes could block the process for
 * seconds.
 */
const MAX_TOKENS = 1500;
const MAX_DEPTH = 20;
const MAX_ESCAPES = 100;

/** Whether an untrusted text exceeds the limits for keys, list items, nesting or escapes. */
export function isInvolvedYaml(text: string): boolean {
  if (text.split('\\', MAX_ESCAPES + 2).length > MAX_ESCAPES + 1) return true;
  let tokens = 0;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (++tokens > MAX_TOKENS || depth > MAX_DEPTH) return true;
  }
  return false;
}
