const BLANK = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BACKTICK = 0x60;
const DELETE = 0x7f;
const SHORTEST_FENCE = 3;

/** A long text as the lines of a code block: every kind of line break is one, and other control characters are blanks. */
interface Layout {
  /** The longest run of backticks in the text. */
  longestRun: number;
  /** Code units of the lines. */
  length: number;
  /** The same in UTF-8. */
  bytes: number;
}

/**
 * Lays the lines out behind their indents, into `lines` when it is given. One pass over the code units: patterns take
 * half a second for a mebibyte of line breaks, and every text is measured when it is written.
 */
function layOut(text: string, indent: number, lines?: Uint16Array): Layout {
  let [longestRun, run, length, bytes] = [0, 0, 0, 0];
  let beginsLine = true;
  for (let i = 0; i < text.length; i++) {
    const given = text.charCodeAt(i);
    run = given === BACKTICK ? run + 1 : 0;
    if (run > longestRun) longestRun = run;
    if (given === CARRIAGE_RETURN && text.charCodeAt(i + 1) === LINE_FEED) continue;
    const unit = given >= BLANK && given < DELETE ? given : tamed(given);
    if (beginsLine && unit !== LINE_FEED) {
      for (const end = length + indent; length < end; length++) if (lines) lines[length] = BLANK;
      bytes += indent;
    }
    beginsLine = unit === LINE_FEED;
    if (lines) lines[length] = unit;
    length += 1;
    bytes += unit < 0x80 ? 1 : bytesOf(unit);
  }
  return { longestRun, length, bytes };
}

const tamed = (unit: number): number => (isLineBreak(unit) ? LINE_FEED : isControl(unit) ? BLANK : unit);

/** What one reader or another takes for the end of a line, not only Markdown. */
const isLineBreak = (unit: number): boolean =>
  (unit >= LINE_FEED && unit <= CARRIAGE_RETURN) || unit === 0x2028 || unit === 0x2029;

const isControl = (unit: number): boolean =>
  (unit < BLANK && unit !== TAB) || (unit >= DELETE && unit <= 0x9f);

/** Beyond ASCII. Each half of a pair of surrogates stands for two of the four bytes of its character. */
const bytesOf = (unit: number): number => (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3);

const fenceFor = ({ longestRun }: Layout): string => '`'.repeat(Math.max(SHORTEST_FENCE, longestRun + 1));

/** Behind a fence that is longer than any in the text, so that it cannot leave the block. */
export function renderBlock(text: string, indent: string): string {
  const layout = layOut(text, indent.length);
  const lines = new Uint16Array(layout.length);
  layOut(text, indent.length, lines);
  const fence = fenceFor(layout);
  return `${indent}${fence}text\n${Buffer.from(lines.buffer).toString('utf16le')}\n${indent}${fence}\n`;
}

/** The size of a rendered block in UTF-8, without rendering it. */
export function blockBytes(text: string, indent: string): number {
  const layout = layOut(text, indent.length);
  return (
    Buffer.byteLength(`${indent}${fenceFor(layout)}text\n\n${indent}${fenceFor(layout)}\n`) + layout.bytes
  );
}
