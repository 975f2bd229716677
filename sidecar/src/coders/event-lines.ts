import type { Secrets } from '../spool/secret-filter.js';
import { parseObject } from '../work/build-protocol.js';
import type { CoderLink, CoderSession } from './driver.js';

export const LONGEST_EVENT = 8 * 1024 * 1024;

/** Reads one JSON object per line; other lines go into the log unchanged. */
export const readEventLines =
  (
    { secrets, emit }: Pick<CoderLink, 'secrets' | 'emit'>,
    take: (event: Record<string, unknown>) => void,
  ): CoderSession['read'] =>
  (text) => {
    if (!text.endsWith('\n')) {
      emit({ type: 'note', text: `[Left out a line of more than ${text.length} characters]\n` });
      return;
    }
    for (const line of text.slice(0, -1).split('\n')) {
      const event = parseEvent(line, secrets);
      if (event) take(event);
      else emit({ type: 'note', text: `${secrets.mask(line)}\n` });
    }
  };

/** Masks before any text is shortened, because half a secret would not be recognized. */
export function parseEvent(line: string, secrets: Secrets): Record<string, unknown> | undefined {
  const event = parseObject(line);
  return event && secrets.maskAll(event);
}
