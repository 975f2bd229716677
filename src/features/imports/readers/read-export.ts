import { GITHUB_JSON, GITLAB_JSON, GITLAB_TABLE } from './git-hosts.js';
import { JIRA_JSON, JIRA_TABLE } from './jira.js';
import {
  type Draft,
  type DraftRow,
  type ReadRow,
  type Source,
  tidyRecord,
  UnreadableExport,
} from './record.js';
import { readTable } from './table.js';
import { CSV_TABLE, LINEAR_TABLE } from './table-readers.js';
import { readTrello } from './trello.js';
import { readJson } from './values.js';

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

const READERS: Record<Source, (text: string) => Generator<DraftRow>> = {
  github: (text) => readJson(text, GITHUB_JSON),
  gitlab: (text) => (isJson(text) ? readJson(text, GITLAB_JSON) : readTable(text, GITLAB_TABLE)),
  linear: (text) => readTable(text, LINEAR_TABLE),
  jira: (text) => (isJson(text) ? readJson(text, JIRA_JSON) : readTable(text, JIRA_TABLE)),
  trello: readTrello,
  csv: (text) => readTable(text, CSV_TABLE),
};

export const MOST_ROWS = 100_000;

/** Throws if the file as a whole cannot be read. */
export function* readExport(source: Source, bytes: Uint8Array): Generator<ReadRow> {
  let count = 0;
  for (const row of READERS[source](decode(bytes))) {
    count += 1;
    if (count > MOST_ROWS)
      throw new UnreadableExport(`The file has more than ${MOST_ROWS.toLocaleString('en')} rows; divide it`);
    yield 'reason' in row ? row : tidyRow(row.row, row.draft);
  }
  if (count === 0) throw new UnreadableExport('The file has no rows');
}

function tidyRow(row: number, draft: Draft): ReadRow {
  const record = tidyRecord(draft);
  return typeof record === 'string' ? { row, reason: record } : { row, record };
}

/** Uses the byte order mark if there is one, then tries UTF-8, then Windows-1252. */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
