import { Type } from 'typebox';
import { notFound } from '../../../kernel/errors.js';
import { soon } from '../../../kernel/soon.js';
import type { PathParams, Route, SpooledFile, UploadedFile } from '../declaration/route.js';
import { bodyValidator, queryValidator } from './validation.js';

/** What came in, before anything has judged it. */
export interface RawInput {
  params: Record<string, string>;
  query: Record<string, unknown>;
  /** Undefined is an empty body. */
  body: unknown;
  readFile?(): Promise<SentFile>;
}

export interface SentFile {
  file?: UploadedFile;
  spooled?: SpooledFile;
}

export interface ReadInput extends SentFile {
  params: Record<string, never>;
  query: Record<string, unknown>;
  body: unknown;
}

/** The input of a declaration, judged in the fixed order whatever door it came through. */
export type InputReader = (raw: RawInput) => ReadInput | Promise<ReadInput>;

export function inputReader(declaration: Route): InputReader {
  const readQuery = queryReader(declaration);
  const checkBody = declaration.body ? bodyValidator(declaration.body) : undefined;
  const params = Object.entries((declaration.params ?? {}) as PathParams);

  return (raw) => {
    const values = readParams(params, raw.params, 'validation');
    const query = readQuery(raw.query);
    return soon(raw.readFile?.(), (sent) => {
      const body = checkBody ? (raw.body === undefined ? {} : raw.body) : {};
      checkBody?.(body);
      Object.assign(values, readParams(params, raw.params, 'lookup'));
      return { params: values, query, body, ...sent };
    });
  };
}

function queryReader(declaration: Route): (raw: Record<string, unknown>) => Record<string, unknown> {
  const { formats, query } = declaration;
  if (!query && !formats) return () => ({});
  const format = formats && { format: Type.Optional(Type.String({ enum: [...formats.allowed] })) };
  const { pagination, queryStatus } = declaration;
  return queryValidator(Type.Object({ ...query?.properties, ...format }), {
    status: queryStatus ?? 422,
    cursor: pagination?.style === 'cursor' ? pagination.parameter : undefined,
  });
}

function readParams(
  params: [string, PathParams[string]][],
  raw: Record<string, string>,
  judged: 'validation' | 'lookup',
) {
  const values: Record<string, never> = {};
  for (const [name, param] of params) {
    if (param.judged !== judged) continue;
    const text = raw[name] ?? '';
    const value = param.read(text);
    // Whatever the parameter's own rule lets through, text that cannot be stored names nothing.
    if (text.includes('\0') || !text.isWellFormed()) throw notFound();
    values[name] = value as never;
  }
  return values;
}
