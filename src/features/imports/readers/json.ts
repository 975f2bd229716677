import { type Draft, type DraftRow, UnreadableExport } from './record.js';
import { asObject, JsonValue } from './values.js';

export interface JsonReader {
  /** The fields of the whole file that may hold its list. */
  lists: readonly string[];
  /** The draft of an item, or why it is none; `whole` is the object that holds the list. */
  toDraft(item: JsonValue, whole: JsonValue): Draft | string;
}

type JsonItem = { row: number; value: unknown; whole: JsonValue } | { row: number; reason: string };

/** Each item of a JSON file as a draft. */
export function* readJson(text: string, { lists, toDraft }: JsonReader): Generator<DraftRow> {
  for (const item of readItems(text, lists)) {
    const draft = 'reason' in item ? item.reason : toDraft(new JsonValue(item.value), item.whole);
    yield typeof draft === 'string' ? { row: item.row, reason: draft } : { row: item.row, draft };
  }
}

const NOTHING = new JsonValue(undefined);

/** The items of a list, of an object that holds a list, or of a file with one value per line. */
function* readItems(text: string, lists: readonly string[]): Generator<JsonItem> {
  const start = text.trimStart();
  if (start === '') throw new UnreadableExport('The file is empty');
  if (start[0] !== '[' && start[0] !== '{')
    throw new UnreadableExport('The file is neither JSON nor a table');
  const whole = tryParse(text);
  if (whole.ok) {
    const fields = asObject(whole.value);
    const list = [whole.value, ...lists.map((name) => fields[name])].find(Array.isArray) ?? [whole.value];
    for (const [index, value] of list.entries())
      yield { row: index + 1, value, whole: new JsonValue(fields) };
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
    yield parsed.ok
      ? { row, value: parsed.value, whole: NOTHING }
      : { row, reason: `It is not valid JSON: ${parsed.fault}` };
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
