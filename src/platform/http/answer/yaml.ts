/**
 * Data as YAML in block style, read as JSON reads it: what is undefined is absent, and a date is its text. Text is left unquoted only where every reader, of YAML 1.1 and 1.2,
 * takes it for text; otherwise it stands in the double quotes that YAML shares with JSON. Agents read YAML all day, and the
 * general library needs fifty times as long for it.
 */
export function writeYaml(data: unknown): string {
  const inline = scalar(data);
  return inline === undefined ? block(data as object, '', '') : `${inline}\n`;
}

const PLAIN = /^[A-Za-z][\w.,;!?/@'()+ -]*$/;
/** Words that some reader takes for true, false or nothing. */
const TAKEN = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
const LONGEST_TAKEN = 5;
/** What may stand between double quotes as it is. */
const QUOTABLE = /^[ !#-[\]-~]*$/;
/** JSON lets these stand in a text; some readers of YAML take them for the end of a line or refuse them. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function text(value: string): string {
  if (isPlain(value)) return value;
  if (QUOTABLE.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Readers fold blanks in a row, and drop those at the end. */
const isPlain = (value: string): boolean =>
  PLAIN.test(value) &&
  !value.endsWith(' ') &&
  !value.includes('  ') &&
  !(value.length <= LONGEST_TAKEN && TAKEN.test(value));

/** Answers are made of the same few keys again and again. */
const KEPT_KEYS = 2000;
const LONGEST_KEPT = 64;
const keyTexts = new Map<string, string>();

function keyText(key: string): string {
  const kept = keyTexts.get(key);
  if (kept !== undefined) return kept;
  const written = `${text(key)}:`;
  if (keyTexts.size < KEPT_KEYS && key.length <= LONGEST_KEPT) keyTexts.set(key, written);
  return written;
}

/** What fits behind a key; undefined for what needs lines of its own. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return text(value);
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'object') return String(value);
  if (value instanceof Date) return text(value.toJSON());
  if (Array.isArray(value)) return value.length > 0 ? undefined : '[]';
  for (const key in value) if (value[key as never] !== undefined) return undefined;
  return '{}';
}

/** The lines of what is nested. The first one has another lead where it stands behind the dash of a list. */
const block = (value: object, indent: string, lead: string): string =>
  Array.isArray(value) ? listBlock(value, indent, lead) : objectBlock(value, indent, lead);

function objectBlock(value: object, indent: string, lead: string): string {
  let lines = '';
  for (const key in value) {
    const item: unknown = value[key as never];
    if (item === undefined) continue;
    const inline = scalar(item);
    lines += (lines === '' ? lead : indent) + keyText(key);
    if (inline !== undefined) lines += ` ${inline}\n`;
    else lines += `\n${block(item as object, `${indent}  `, `${indent}  `)}`;
  }
  return lines;
}

function listBlock(items: unknown[], indent: string, lead: string): string {
  let lines = '';
  for (const item of items) {
    const inline = scalar(item);
    const dash = `${lines === '' ? lead : indent}- `;
    lines += inline === undefined ? block(item as object, `${indent}  `, dash) : `${dash}${inline}\n`;
  }
  return lines;
}
