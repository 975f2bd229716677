import { readCsv } from './csv.js';
import { readGithub } from './github.js';
import { readGitlab } from './gitlab.js';
import { readJira } from './jira.js';
import { readLinear } from './linear.js';
import { type ReadRow, type Source, UnreadableExport } from './record.js';
import { readTrello } from './trello.js';

const READERS: Record<Source, (text: string) => Generator<ReadRow>> = {
  github: readGithub,
  gitlab: readGitlab,
  linear: readLinear,
  jira: readJira,
  trello: readTrello,
  csv: readCsv,
};

export const MOST_ROWS = 100_000;

/** The rows of an exported file, each a record or the reason why it is none; throws where nothing at all can be read. */
export function* readExport(source: Source, bytes: Uint8Array): Generator<ReadRow> {
  let count = 0;
  for (const row of READERS[source](decode(bytes))) {
    count += 1;
    if (count > MOST_ROWS)
      throw new UnreadableExport(`The file has more than ${MOST_ROWS.toLocaleString('en')} rows; divide it`);
    yield row;
  }
  if (count === 0) throw new UnreadableExport('The file has no rows');
}

/** By its byte order mark, else UTF-8; what is not even that was written by an older program on Windows. */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
