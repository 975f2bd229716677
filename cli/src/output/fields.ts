import { misuse } from '../failure.js';

type Item = Record<string, unknown>;

/** `--json id,title`: only these fields, in this order. */
export function pickFields(value: unknown, fields: string): unknown {
  const wanted = fields.split(',').map((field) => field.trim());
  const items = (Array.isArray(value) ? value : [value]).filter(
    (item): item is Item => typeof item === 'object' && item !== null,
  );
  const known = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const unknown = wanted.find((field) => !known.includes(field));
  // An empty list has no records to check the field names against.
  if (unknown !== undefined && items.length > 0)
    throw misuse(`Unknown field ${JSON.stringify(unknown)}`, `Available fields: ${known.sort().join(', ')}`);
  const pick = (item: Item) => Object.fromEntries(wanted.map((field) => [field, item[field] ?? null]));
  return Array.isArray(value) ? items.map(pick) : items.map(pick)[0];
}
