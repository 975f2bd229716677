import { writeYaml } from './yaml.js';

export interface StreamContent {
  kind: 'stream';
  chunks: AsyncIterable<string | Uint8Array>;
  contentType: string;
  /** Ends a stream that has no end of its own, with a word to its reader. */
  end?(): void;
}

/** What a handler may return beside plain data, which is answered as JSON with the declared success status. */
export class Answer {
  constructor(
    readonly status: number,
    readonly content:
      | { kind: 'data'; data: unknown }
      | { kind: 'json'; json: string }
      | { kind: 'bytes'; bytes: Uint8Array | string; contentType: string }
      | StreamContent
      | { kind: 'empty' },
    readonly headers: Record<string, string | string[]> = {},
    /** Where the route has its answer ready: how long that one is true if nothing changes. */
    readonly until?: Date,
  ) {}
}

export const answer = (status: number, data: unknown, headers?: Record<string, string | string[]>) =>
  new Answer(status, { kind: 'data', data }, headers);

export const answerUntil = (until: Date | undefined, data: unknown) =>
  new Answer(200, { kind: 'data', data }, {}, until);

export const noContent = (headers?: Record<string, string | string[]>) =>
  new Answer(204, { kind: 'empty' }, headers);

/** Taken, to be looked at later. */
export const accepted = () => new Answer(202, { kind: 'empty' });

export const notModified = (headers: Record<string, string>) => new Answer(304, { kind: 'empty' }, headers);

export const bytes = (content: Uint8Array, contentType: string, headers?: Record<string, string>) =>
  new Answer(200, { kind: 'bytes', bytes: content, contentType }, headers);

export const text = (
  status: number,
  content: string,
  contentType: string,
  headers?: Record<string, string>,
) => new Answer(status, { kind: 'bytes', bytes: content, contentType }, headers);

/** Items that are JSON already: what is shown as it is stored is not read and written again. */
export const writtenItems = (items: readonly string[], rest: object) =>
  new Answer(200, { kind: 'json', json: `{"items":[${items.join()}],${JSON.stringify(rest).slice(1)}` });

/** JSON that is too large to be written in one go. */
export const jsonStream = (chunks: AsyncIterable<string>) =>
  new Answer(200, { kind: 'stream', chunks, contentType: CONTENT_TYPES.json });

export type Format = 'json' | 'yaml' | 'md';

export const CONTENT_TYPES: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
};

export function render(data: unknown, format: Format, markdown: (data: never) => string): string {
  if (format === 'json') return JSON.stringify(data);
  return format === 'yaml' ? writeYaml(data) : markdown(JSON.parse(JSON.stringify(data)) as never);
}
