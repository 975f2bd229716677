import type { ServerEvent } from './options.js';

/** Parses `text/event-stream` incrementally: feed it text and get the completed events. */
export function createEventParser() {
  let rest = '';
  let begun = false;
  let lastId: string | undefined;
  let id: string | undefined;
  let event = '';
  let data: string[] = [];

  function takeLine(line: string): ServerEvent<string> | undefined {
    if (line === '') return endBlock();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  }

  /** A block without data produces no event, but its id still counts. */
  function endBlock(): ServerEvent<string> | undefined {
    if (id !== undefined) lastId = id === '' ? undefined : id;
    const told =
      data.length > 0 ? { id: lastId, event: event || 'message', data: data.join('\n') } : undefined;
    event = '';
    data = [];
    return told;
  }

  return {
    /** The id to resume from, which is that of the last complete block. */
    lastId: () => lastId,

    feed(text: string): ServerEvent<string>[] {
      rest += begun ? text : text.replace(/^\uFEFF/, '');
      begun ||= text !== '';
      // A carriage return at the end of the buffer may be the first half of a line break.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      return lines.flatMap((line) => takeLine(line) ?? []);
    },
  };
}
