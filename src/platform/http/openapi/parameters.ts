import { type TSchema, Type } from 'typebox';
import type { PathParams, Route, RouteHeader } from '../declaration/route.js';
import type { Components } from './openapi-components.js';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  deprecated?: boolean;
  description?: string;
  schema: object;
}

export function describeParameters(declaration: Route, components: Components): { parameters?: object[] } {
  const parameters = [
    ...pathParameters(declaration),
    ...queryParameters(declaration),
    ...headerParameters(declaration),
  ].map(
    ({ name, in: place, required, ...rest }) =>
      components.refer({ name, in: place, ...(required && { required }), ...rest }) as object,
  );
  return parameters.length === 0 ? {} : { parameters };
}

function pathParameters({ path, params = {} }: Route): Parameter[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name: name!,
    in: 'path',
    required: true,
    ...describeParam((params as PathParams)[name!]),
  }));
}

/** The id of the workspace is the only parameter without a declaration. */
const describeParam = (param: PathParams[string] | undefined) =>
  param
    ? { ...(param.description && { description: param.description }), schema: param.schema }
    : {
        description: "The credential's workspace.",
        schema: Type.Integer({ minimum: 1 }),
      };

interface Described {
  description?: string;
  default?: unknown;
  rule?: unknown;
  pattern?: unknown;
  /** A former name that is still accepted. */
  formerly?: string;
}

function queryParameters({ query, formats }: Route): Parameter[] {
  const properties: [string, TSchema][] = Object.entries(query?.properties ?? {});
  const required: string[] = query?.required ?? [];
  const declared = properties.flatMap(
    ([name, { description, formerly, ...schema }]: [string, TSchema & Described]) => [
      {
        name,
        in: 'query' as const,
        required: required.includes(name) && schema.default === undefined && formerly === undefined,
        ...(description && { description }),
        schema: description ? withoutToldRule(schema) : schema,
      },
      ...(formerly === undefined ? [] : [formerName(formerly, name)]),
    ],
  );
  if (!formats) return declared;
  return [
    ...declared,
    {
      name: 'format',
      in: 'query',
      required: false,
      description: `The form of the answer, ${formats.default} unless said; the facts are the same.`,
      schema: {
        type: 'string',
        enum: formats.allowed,
        ...(formats.allowed.includes(formats.default) && { default: formats.default }),
      },
    },
  ];
}

const formerName = (name: string, present: string) => ({
  name,
  in: 'query' as const,
  required: false,
  deprecated: true,
  description: `The former name of \`${present}\`.`,
  schema: { type: 'string' },
});

/** A pattern with a description already states the rule. */
const withoutToldRule = ({ rule, ...schema }: Described): object =>
  rule === undefined || schema.pattern ? schema : { ...schema, rule };

const READ_HEADERS: Partial<Record<RouteHeader, string>> = {
  'If-Match': 'The version to change, in quotes; `*` is any. Another one is a 412.',
  'If-None-Match': 'The `ETag` of what you have: a 304 if it is so still.',
  'Last-Event-ID': 'The last event you received. The stream continues after it.',
};

function headerParameters({ creates, headers = [] }: Route): Parameter[] {
  const read = headers.flatMap((name) => {
    const description = READ_HEADERS[name];
    return description ? [{ name, description, schema: { type: 'string' } }] : [];
  });
  const key = {
    name: 'Idempotency-Key',
    description:
      'Any text of yours. The same request with it within 24 hours gets the first answer; nothing is made twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
  return [...(creates ? [key] : []), ...read].map((each) => ({ ...each, in: 'header', required: false }));
}
