export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph' | 'code'; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'rule' }
  | { kind: 'list'; ordered: boolean; start: number; items: ListItem[] }
  | { kind: 'table'; head: string[]; rows: string[][] };

export interface ListItem {
  blocks: Block[];
  /** Only for task list items. */
  done?: boolean;
}

const DEEPEST = 8;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const TICK = /^\[([ xX])\]\s+/;
const TABLE_LINE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

export function parseBlocks(text: string): Block[] {
  return readBlocks(text.replaceAll('\r\n', '\n').split('\n'), 0);
}

function readBlocks(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]!.trim() === '') {
      at += 1;
      continue;
    }
    const [block, next] = readBlock(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

type Read = [block: Block, next: number];

function readBlock(lines: string[], at: number, depth: number): Read {
  const line = lines[at]!;
  const heading = HEADING.exec(line);
  if (heading) return [{ kind: 'heading', level: heading[1]!.length, text: heading[2]! }, at + 1];
  if (FENCE.test(line)) return readFence(lines, at);
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1];
  if (depth < DEEPEST && QUOTE.test(line)) return readQuote(lines, at, depth);
  if (depth < DEEPEST && ITEM.test(line)) return readList(lines, at, depth);
  if (line.includes('|') && TABLE_LINE.test(lines[at + 1] ?? '')) return readTable(lines, at);
  return readParagraph(lines, at);
}

/** An unclosed fence extends to the end of the text. */
function readFence(lines: string[], at: number): Read {
  const fence = FENCE.exec(lines[at]!)![1]!;
  let end = at + 1;
  while (end < lines.length && !closes(lines[end]!, fence)) end += 1;
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

/** A longer fence of the same character also closes the block. */
const closes = (line: string, fence: string): boolean => {
  const mark = line.trim();
  return mark.startsWith(fence) && mark.replaceAll(fence[0]!, '') === '';
};

function readQuote(lines: string[], at: number, depth: number): Read {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end]!)) end += 1;
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return [{ kind: 'quote', blocks: readBlocks(inside, depth + 1) }, end];
}

function readList(lines: string[], at: number, depth: number): Read {
  const first = ITEM.exec(lines[at]!)!;
  const ordered = /\d/.test(first[2]!);
  const indent = first[1]!.length;
  const items: ListItem[] = [];
  let next = at;
  while (next < lines.length) {
    const item = ITEM.exec(lines[next]!);
    if (!item || item[1]!.length !== indent || /\d/.test(item[2]!) !== ordered) break;
    const inside = [item[3]!];
    next += 1;
    while (next < lines.length && belongsToItem(lines, next, indent)) {
      inside.push(lines[next]!.slice(Math.min(indent + 2, leading(lines[next]!))));
      next += 1;
    }
    items.push(readItem(inside, depth));
  }
  return [{ kind: 'list', ordered, start: Number.parseInt(first[2]!, 10) || 1, items }, next];
}

function readItem(inside: string[], depth: number): ListItem {
  const tick = TICK.exec(inside[0]!);
  if (!tick) return { blocks: readBlocks(inside, depth + 1) };
  const text = [inside[0]!.slice(tick[0].length), ...inside.slice(1)];
  return { done: tick[1] !== ' ', blocks: readBlocks(text, depth + 1) };
}

const leading = (line: string): number => line.length - line.trimStart().length;

/** More deeply indented lines belong to the item, and so does an empty line before such a line. */
function belongsToItem(lines: string[], at: number, indent: number): boolean {
  const line = lines[at]!;
  if (line.trim() !== '') return leading(line) > indent;
  const after = lines[at + 1];
  return after !== undefined && after.trim() !== '' && leading(after) > indent;
}

function readTable(lines: string[], at: number): Read {
  const head = cellsOf(lines[at]!);
  const rows: string[][] = [];
  let next = at + 2;
  while (next < lines.length && lines[next]!.includes('|')) {
    const cells = cellsOf(lines[next]!);
    rows.push(head.map((_, column) => cells[column] ?? ''));
    next += 1;
  }
  return [{ kind: 'table', head, rows }, next];
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

function readParagraph(lines: string[], at: number): Read {
  let end = at + 1;
  while (end < lines.length && !startsAnother(lines[end]!)) end += 1;
  return [{ kind: 'paragraph', text: lines.slice(at, end).join('\n').trim() }, end];
}

const startsAnother = (line: string): boolean =>
  line.trim() === '' ||
  HEADING.test(line) ||
  FENCE.test(line) ||
  RULE.test(line) ||
  QUOTE.test(line) ||
  ITEM.test(line);
