/**
 * Plain data (what JSON can hold) as YAML in block style. Text is left unquoted only where every reader, of YAML 1.1 and 1.2,
 * takes it for text; otherwise it stands in the double quotes that YAML shares with JSON. Agents read YAML all day, and the
 * general library needs fifty times as long for it.
 */
export function writeYaml(data: unknown): string {
  const inline = scalar(data);
  return inline === undefined ? block(data as object, '') : `${inline}\n`;
}

const PLAIN = /^[A-Za-z][\w.,;!?/@'()+ -]*$/;
/** Readers fold blanks in a row, and drop those at the end. */
const LOSABLE_BLANKS = / (?: |$)/;
/** Words that some reader takes for true, false or nothing. */
const TAKEN = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
/** JSON lets these stand in a text; some readers of YAML take them for the end of a line or refuse them. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function text(value: string): string {
  if (PLAIN.test(value) && !LOSABLE_BLANKS.test(value) && !TAKEN.test(value)) return value;
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What fits behind a key; undefined for what needs lines of its own. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Object.keys(value).length > 0) return undefined;
  return Array.isArray(value) ? '[]' : '{}';
}

function block(value: object, indent: string): string {
  return Array.isArray(value) ? listBlock(value, indent) : objectBlock(value, indent);
}

function objectBlock(value: object, indent: string): string {
  let lines = '';
  for (const [key, item] of Object.entries(value)) {
    const inline = scalar(item);
    lines += `${indent}${text(key)}:${inline === undefined ? `\n${block(item, `${indent}  `)}` : ` ${inline}\n`}`;
  }
  return lines;
}

function listBlock(items: unknown[], indent: string): string {
  let lines = '';
  for (const item of items) {
    const inline = scalar(item);
    // The first line of what is nested stands behind the dash.
    lines += `${indent}- ${inline === undefined ? block(item as object, `${indent}  `).slice(indent.length + 2) : `${inline}\n`}`;
  }
  return lines;
}
