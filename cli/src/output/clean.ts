/**
 * Other people's text must not control the terminal: an escape sequence in a title could move the cursor,
 * rename the window or hide earlier text. Bidirectional controls are removed too.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const COLOURS = /\u001b\[[0-9;]*m/g;

export const cleanText = (text: string): string => text.replace(/\r\n/g, '\n').replace(CONTROLS, '');

export const cleanLine = (text: string): string => cleanText(text).replace(/[\t\n\u2028\u2029]+/g, ' ');

/** Writes control characters as JSON escapes, which a terminal does not interpret. */
export const cleanJson = (json: string): string =>
  json.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Keeps a program's colors on request, and removes all other control sequences. */
export function cleanLog(text: string, colours: boolean): string {
  const pieces = text.split(COLOURS).map((piece) => cleanText(piece));
  const kept = colours ? (text.match(COLOURS) ?? []) : [];
  return pieces.map((piece, index) => piece + (kept[index] ?? '')).join('');
}
