/** Converts ANSI colors and weights to class names and drops all other control sequences. */

export interface Look {
  /** ANSI color number, 0 to 15. */
  color?: number;
  ground?: number;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
}

export interface Piece {
  text: string;
  look: Look;
}

export const PLAIN: Look = {};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters a terminal acts upon
const SEQUENCE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_=>]|$)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they have no sign of their own
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Splits a line into pieces of the same style; `next` is the style at the start of the following line. */
export function readAnsi(line: string, start: Look): { pieces: Piece[]; next: Look } {
  const text = lastOverwritten(line);
  if (!text.includes('\u001b')) return { pieces: [{ text: clean(text), look: start }], next: start };
  const pieces: Piece[] = [];
  let look = start;
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    add(pieces, text.slice(from, match.index), look);
    from = match.index + match[0].length;
    if (match[2] === 'm') look = applyCodes(look, match[1] ?? '');
  }
  add(pieces, text.slice(from), look);
  return { pieces, next: look };
}

/** A progress bar overwrites its line, so keep the text after the last carriage return. */
function lastOverwritten(line: string): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  return whole.includes('\r') ? whole.slice(whole.lastIndexOf('\r') + 1) : whole;
}

const clean = (text: string): string => text.replace(CONTROLS, '');

function add(pieces: Piece[], text: string, look: Look): void {
  const cleaned = clean(text);
  if (cleaned) pieces.push({ text: cleaned, look });
}

function applyCodes(before: Look, parameters: string): Look {
  const codes = parameters === '' ? [0] : parameters.split(/[;:]/).map(Number);
  let look = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!;
    if (code === 38 || code === 48) {
      const { color, used } = readExtended(codes.slice(at + 1));
      look = code === 38 ? { ...look, color } : { ...look, ground: color };
      at += used;
    } else look = applyCode(look, code);
  }
  return look;
}

function applyCode(look: Look, code: number): Look {
  if (code >= 30 && code <= 37) return { ...look, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...look, color: code - 82 };
  if (code >= 40 && code <= 47) return { ...look, ground: code - 40 };
  if (code >= 100 && code <= 107) return { ...look, ground: code - 92 };
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...look, bold: true };
    case 2:
      return { ...look, dim: true };
    case 3:
      return { ...look, italic: true };
    case 4:
      return { ...look, underline: true };
    case 7:
      return { ...look, inverse: true };
    case 22:
      return { ...look, bold: false, dim: false };
    case 23:
      return { ...look, italic: false };
    case 24:
      return { ...look, underline: false };
    case 27:
      return { ...look, inverse: false };
    case 39:
      return { ...look, color: undefined };
    case 49:
      return { ...look, ground: undefined };
    default:
      return look;
  }
}

/** Maps 256 and true colors to the nearest of the 16 ANSI colors, which are readable in both themes. */
function readExtended(codes: number[]): { color: number | undefined; used: number } {
  if (codes[0] === 5) return { color: fromPalette(codes[1] ?? 0), used: 2 };
  if (codes[0] === 2) return { color: nearest(codes[1] ?? 0, codes[2] ?? 0, codes[3] ?? 0), used: 4 };
  return { color: undefined, used: 0 };
}

function fromPalette(index: number): number | undefined {
  if (index < 16) return index;
  if (index >= 232) return index < 244 ? 8 : 7;
  const cube = index - 16;
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most > 190 ? 7 : most > 60 ? 8 : 0;
  const bit = (part: number, value: number) => (part > most * 0.55 ? value : 0);
  return bit(red, 1) + bit(green, 2) + bit(blue, 4);
}

export function classesOf({
  color,
  ground,
  bold,
  dim,
  italic,
  underline,
  inverse,
}: Look): string | undefined {
  const names = [
    color !== undefined && `ansi-${color % 8}`,
    ground !== undefined && `ansi-on-${ground % 8}`,
    bold && 'ansi-bold',
    dim && 'ansi-dim',
    italic && 'ansi-italic',
    underline && 'ansi-underline',
    inverse && 'ansi-inverse',
  ].filter(Boolean);
  return names.length > 0 ? names.join(' ') : undefined;
}
