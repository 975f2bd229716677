/**
 * What others wrote is shown, never obeyed: a title with escape sequences must not move the cursor, rename the window or
 * hide what stands before it. Directions of writing count as well.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const COLOURS = /\u001b\[[0-9;]*m/g;

/** Text of several lines. */
export const cleanText = (text: string): string => text.replace(/\r\n/g, '\n').replace(CONTROLS, '');

/** Text that has one line and no more. */
export const cleanLine = (text: string): string => cleanText(text).replace(/[\t\n\u2028\u2029]+/g, ' ');

/** JSON says the same of them in letters that no terminal obeys. */
export const cleanJson = (json: string): string =>
  json.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What a program printed: its colours may stay, nothing else that a terminal would obey. */
export function cleanLog(text: string, colours: boolean): string {
  const pieces = text.split(COLOURS).map((piece) => cleanText(piece));
  const kept = colours ? (text.match(COLOURS) ?? []) : [];
  return pieces.map((piece, index) => piece + (kept[index] ?? '')).join('');
}
