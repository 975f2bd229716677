/** A row of cells, or why it cannot be told where they end. */
export type CsvRow = { row: number; cells: string[] } | { row: number; reason: string };

const DELIMITERS = [',', ';', '\t'];
const MOST_CELLS = 2000;
/** Longer than whatever a card can take; a quotation mark that is open for so long was never meant to be one. */
const LONGEST_CELL = 2 * 1024 * 1024;
/** Each look for the end of a quoted cell that has none costs a walk through the file. */
const MOST_OPEN_QUOTES = 20;

/** What the first line has most of outside of quotes. */
export function sniffDelimiter(text: string): string {
  const counts = DELIMITERS.map(() => 0);
  let quoted = false;
  for (let at = 0; at < Math.min(text.length, 200_000); at += 1) {
    const char = text[at]!;
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '\n' || char === '\r')) {
      if (counts.some((count) => count > 0) || text.slice(0, at).trim() !== '') break;
    } else if (!quoted) {
      const kind = DELIMITERS.indexOf(char);
      if (kind >= 0) counts[kind]! += 1;
    }
  }
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** Rows of cells, from the first line, which is row 1; empty lines are counted and left out. Every character is looked at once. */
export function* readCsvRows(text: string, delimiter = sniffDelimiter(text)): Generator<CsvRow> {
  let at = 0;
  let row = 0;
  let openQuotes = 0;
  while (at < text.length) {
    row += 1;
    const parsed = parseRow(text, at, delimiter);
    if ('cells' in parsed) {
      at = parsed.end;
      if (parsed.cells.some((cell) => cell.trim() !== '')) yield { row, cells: parsed.cells };
      continue;
    }
    yield { row, reason: parsed.reason };
    openQuotes += 1;
    if (openQuotes === MOST_OPEN_QUOTES) {
      yield {
        row: row + 1,
        reason: 'Too many quotation marks are never closed: nothing from here on was read',
      };
      return;
    }
    at = endOfLine(text, at);
  }
}

/** Where the next line begins. */
function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline + 1;
}

function parseRow(
  text: string,
  from: number,
  delimiter: string,
): { cells: string[]; end: number } | { reason: string } {
  const cells: string[] = [];
  for (let at = from; ; ) {
    if (cells.length === MOST_CELLS) return { reason: `It has more than ${MOST_CELLS} cells` };
    const cell = text[at] === '"' ? parseQuoted(text, at + 1) : { text: '', end: at };
    if (!cell) return { reason: 'A quotation mark is never closed' };
    // What stands behind a closing quotation mark belongs to the cell: not by the book, but programs write it.
    const rest = plainUntil(text, cell.end, delimiter);
    cells.push(rest === cell.end ? cell.text : cell.text + text.slice(cell.end, rest));
    if (rest >= text.length) return { cells, end: text.length };
    if (text[rest] === delimiter) {
      at = rest + 1;
      continue;
    }
    return { cells, end: text[rest] === '\r' && text[rest + 1] === '\n' ? rest + 2 : rest + 1 };
  }
}

/** Where the next delimiter or the end of the line is. */
function plainUntil(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === delimiter || char === '\n' || char === '\r') return at;
  }
  return text.length;
}

/** A quoted cell, in which two quotation marks are one; undefined where it does not end. */
function parseQuoted(text: string, from: number): { text: string; end: number } | undefined {
  const parts: string[] = [];
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || quote - from > LONGEST_CELL) return undefined;
    if (text[quote + 1] !== '"') {
      parts.push(text.slice(at, quote));
      return { text: parts.length === 1 ? parts[0]! : parts.join(''), end: quote + 1 };
    }
    parts.push(text.slice(at, quote + 1));
    at = quote + 2;
  }
}
