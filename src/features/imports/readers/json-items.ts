import { UnreadableExport } from './record.js';

export type JsonItem = { row: number; value: unknown } | { row: number; reason: string };

/** A list, what `listIn` finds in an object, or one value a line. */
export function* readJsonItems(
  text: string,
  listIn: (value: Record<string, unknown>) => unknown[] | undefined,
): Generator<JsonItem> {
  const start = text.trimStart();
  if (start === '') throw new UnreadableExport('The file is empty');
  if (start[0] !== '[' && start[0] !== '{')
    throw new UnreadableExport('The file is neither JSON nor a table');
  const whole = tryParse(text);
  if (whole.ok) {
    const list = Array.isArray(whole.value) ? whole.value : listIn(whole.value as Record<string, unknown>);
    for (const [index, value] of (list ?? [whole.value]).entries()) yield { row: index + 1, value };
    return;
  }
  const firstLine = tryParse(start.slice(0, endOf(start, 0)));
  if (start[0] === '[' || !firstLine.ok)
    throw new UnreadableExport(`The file is not valid JSON: ${whole.fault}`);
  yield* readLines(start);
}

function* readLines(text: string): Generator<JsonItem> {
  let row = 0;
  for (let at = 0; at < text.length; ) {
    const end = endOf(text, at);
    const line = text.slice(at, end).trim();
    at = end + 1;
    row += 1;
    if (line === '') continue;
    const parsed = tryParse(line);
    yield parsed.ok ? { row, value: parsed.value } : { row, reason: `It is not valid JSON: ${parsed.fault}` };
  }
}

const endOf = (text: string, from: number): number => {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline;
};

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; fault: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, fault: (error as Error).message.slice(0, 120) };
  }
}
