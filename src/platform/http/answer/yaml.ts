/**
 * Writes YAML in block style with the semantics of JSON. Text is unquoted only where every YAML 1.1 and 1.2
 * reader parses it as text. The general library takes fifty times as long (ADR 0007).
 */
export function writeYaml(data: unknown): string {
  const inline = scalar(data);
  return inline === undefined ? block(data as object, '', '') : `${inline}\n`;
}

const PLAIN = /^[A-Za-z][\w.,;!?/@'()+ -]*$/;
/** Words that some reader parses as a boolean or null. */
const TAKEN = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
const LONGEST_TAKEN = 5;
const QUOTABLE = /^[ !#-[\]-~]*$/;
/** Allowed in JSON strings, but line breaks or invalid for some YAML readers. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function text(value: string): string {
  if (isPlain(value)) return value;
  if (QUOTABLE.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Readers fold repeated blanks and drop trailing ones. */
const isPlain = (value: string): boolean =>
  PLAIN.test(value) &&
  !value.endsWith(' ') &&
  !value.includes('  ') &&
  !(value.length <= LONGEST_TAKEN && TAKEN.test(value));

/** Keys are cached, because responses repeat the same few keys. */
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

/** Returns the value if it fits on the line of its key, otherwise undefined. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return text(value);
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'object') return String(value);
  if (value instanceof Date) return text(value.toJSON());
  if (Array.isArray(value)) return value.length > 0 ? undefined : '[]';
  for (const key in value) if (value[key as never] !== undefined) return undefined;
  return '{}';
}

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
