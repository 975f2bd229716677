import type { TSchema } from 'typebox';
import { describeArguments } from './arguments.js';
import { DETAIL } from './detail.js';
import { type AgentOperation, explain } from './operations.js';

export interface Tool {
  [key: string]: unknown;
  name: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
}

const CURSOR = { type: 'string', description: 'From an answer that goes on.' };

/** A direct tool: what its route declares, said as briefly as an agent needs it; `given`: arguments that are not asked for. */
export function describeTool(operation: AgentOperation, given: readonly string[] = []): Tool {
  const { name, route, direct } = operation;
  const declared = describeArguments(route);
  const required = (declared.required ?? []).filter((field) => !given.includes(field));
  const properties = Object.fromEntries(
    Object.entries(declared.properties).filter(([field]) => !given.includes(field)),
  );
  const shown = direct?.fields
    ? Object.fromEntries(
        Object.entries(properties).filter(
          ([field]) => required.includes(field) || direct.fields!.includes(field),
        ),
      )
    : properties;
  const trimmed = Object.fromEntries(
    Object.entries(shown).map(([field, schema]) => [field, trimSchema(schema, direct?.defaults?.[field])]),
  );
  if (route.pagination?.style === 'cursor') delete trimmed[route.pagination.parameter];
  return {
    name,
    description: explain(route),
    inputSchema: {
      type: 'object',
      properties: {
        ...trimmed,
        ...(direct?.brief && { detail: DETAIL }),
        ...(operation.effect === 'read' && { cursor: CURSOR }),
      },
      ...(required.length > 0 && { required }),
    },
    annotations: annotationsOf(operation),
  };
}

export const annotationsOf = ({ effect, route }: AgentOperation): Tool['annotations'] => ({
  readOnlyHint: effect === 'read',
  destructiveHint: effect === 'destroy',
  idempotentHint: effect === 'read' || route.method === 'PUT' || route.method === 'DELETE',
});

/** Bounds and patterns are said by the refusal that a broken one gets; in a list that is read all day they are noise. */
const NOISE = new Set([
  'pattern',
  'rule',
  'minLength',
  'maxLength',
  'additionalProperties',
  'format',
  'title',
]);

function trimSchema(schema: TSchema, ownDefault?: unknown): object {
  const trimmed = trim(schema) as Record<string, unknown>;
  return ownDefault === undefined ? trimmed : { ...trimmed, default: ownDefault };
}

function trim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trim);
  if (value === null || typeof value !== 'object') return value;
  const { anyOf, ...rest } = value as { anyOf?: object[] };
  // "A string or null" is told in half the words.
  const nullable =
    anyOf?.length === 2 ? anyOf.find((each) => (each as { type?: string }).type !== 'null') : undefined;
  const source =
    nullable && anyOf!.some((each) => (each as { type?: string }).type === 'null')
      ? { ...rest, ...withNull(nullable) }
      : (value as object);
  return Object.fromEntries(
    Object.entries(source)
      .filter(([key]) => !NOISE.has(key))
      .map(([key, each]) => [key, key === 'properties' ? trimAll(each) : trim(each)]),
  );
}

const trimAll = (properties: object): object =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, trim(schema)]));

function withNull(schema: object): object {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] };
  if (values) return { ...schema, enum: [...values, null] };
  return type ? { ...schema, type: [type, 'null'] } : schema;
}
