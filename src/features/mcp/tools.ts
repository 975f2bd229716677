import type { TSchema } from 'typebox';
import { unprocessable } from '../../kernel/errors.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
import { DETAIL } from './calls.js';
import {
  type AgentOperation,
  type Arguments,
  describeArguments,
  explain,
  unknownField,
  unknownResource,
} from './operations.js';

export interface Tool {
  [key: string]: unknown;
  name: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
}

const CURSOR = { type: 'string', description: 'From an answer that goes on.' };

/** A direct tool, described briefly from its route; `given`: arguments that the caller does not send. */
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

const annotationsOf = ({ effect, route }: AgentOperation): Tool['annotations'] => ({
  readOnlyHint: effect === 'read',
  destructiveHint: effect === 'destroy',
  idempotentHint: effect === 'read' || route.method === 'PUT' || route.method === 'DELETE',
});

/** Left out to save tokens: the error names a violated bound or pattern. */
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
  // A nullable type is shortened to half the words.
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

const query = { type: 'string', description: 'Your task in a few words.' };
const name = { type: 'string', description: 'The name of an operation, as find_operation lists it.' };
const call = {
  type: 'object',
  properties: {
    name,
    arguments: { type: 'object', description: 'As describe_operation shows them.' },
    cursor: { type: 'string', description: 'From an answer that goes on.' },
  },
  required: ['name'],
} as const;

const hints = (readOnlyHint: boolean) => ({
  readOnlyHint,
  destructiveHint: !readOnlyHint,
  idempotentHint: readOnlyHint,
});

/** The four tools that find, describe and call all operations without a tool of their own. */
export const catalogTools = {
  find_operation: {
    name: 'find_operation',
    description:
      'Find any operation of Guildhall by what you want to do, when no other tool fits. Lists names with one line each; then describe_operation.',
    inputSchema: { type: 'object', properties: { query }, required: ['query'] },
    annotations: hints(true),
  },
  describe_operation: {
    name: 'describe_operation',
    description: 'Describe an operation and its arguments. Then call read_operation or write_operation.',
    inputSchema: { type: 'object', properties: { name }, required: ['name'] },
    annotations: hints(true),
  },
  read_operation: {
    name: 'read_operation',
    description: 'Call an operation that changes nothing.',
    inputSchema: call,
    annotations: hints(true),
  },
  write_operation: {
    name: 'write_operation',
    description: 'Call an operation that changes or deletes something.',
    inputSchema: call,
    annotations: hints(false),
  },
} satisfies Record<string, Tool>;

/** The former name of `query`, which is still accepted. */
const FORMER_QUERY = 'words';

export function readCatalogArguments(tool: keyof typeof catalogTools, args: Arguments): Arguments {
  const { [FORMER_QUERY]: former, ...others } = args;
  const given = tool === 'find_operation' && former !== undefined ? { query: former, ...others } : args;
  const known = Object.keys(catalogTools[tool].inputSchema.properties);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownField(unknown, known);
  return given;
}

export function readQuery({ query: asked }: Arguments): string {
  if (typeof asked !== 'string' || asked.trim() === '') throw unprocessable('query is required');
  return asked;
}

export const isCatalogTool = (name: string): name is keyof typeof catalogTools =>
  Object.hasOwn(catalogTools, name);

export const describeOperation = ({ name, route, effect, direct }: AgentOperation): string => {
  const declared = describeArguments(route);
  const properties = { ...declared.properties, ...(direct?.brief && { detail: DETAIL }) };
  return writeYaml(
    JSON.parse(
      JSON.stringify({
        name,
        effect,
        does: explain(route),
        arguments: { ...declared, properties },
      }),
    ),
  );
};

export interface Template {
  uriTemplate: string;
  name: string;
  description: string;
  mimeType: string;
}

/** A resource that an agent can open by URI; each is the answer of one operation. */
interface ResourceKind extends Template {
  pattern: RegExp;
  operation: string;
  toArguments(match: RegExpExecArray): Arguments;
}

const decode = (text: string | undefined): string => {
  try {
    return decodeURIComponent(text ?? '');
  } catch {
    throw unknownResource();
  }
};

const KINDS: readonly ResourceKind[] = [
  {
    uriTemplate: 'guildhall://agents/{agent_id}/memory',
    name: 'agent-memory',
    description: "Get the section of MEMORY.md with an agent's memories.",
    mimeType: 'text/markdown',
    pattern: /^guildhall:\/\/agents\/([^/]+)\/memory$/,
    operation: 'get_memory_section',
    toArguments: ([, agent]) => ({ agent_id: decode(agent) }),
  },
  {
    uriTemplate: 'guildhall://projects/{project_id}/lessons/{+path}',
    name: 'lessons-near-file',
    description: 'Lessons anchored at or near a file or folder of a project.',
    mimeType: 'application/yaml',
    pattern: /^guildhall:\/\/projects\/([^/]+)\/lessons\/(.+)$/,
    operation: 'find_lessons_near',
    toArguments: ([, project, path]) => ({ project_id: decode(project), paths: [decode(path)] }),
  },
  {
    uriTemplate: 'guildhall://boards/{board_id}',
    name: 'board',
    description: 'A board with its columns and cards, in brief.',
    mimeType: 'text/markdown',
    pattern: /^guildhall:\/\/boards\/([^/]+)$/,
    operation: 'export_board',
    toArguments: ([, board]) => ({ board_id: decode(board), detail: 'summary' }),
  },
];

export const listTemplates = (isOpen: (operation: string) => boolean): Template[] =>
  KINDS.filter(({ operation }) => isOpen(operation)).map(({ uriTemplate, name, description, mimeType }) => ({
    uriTemplate,
    name,
    description,
    mimeType,
  }));

export function readAddress(uri: string): { operation: string; args: Arguments; mimeType: string } {
  for (const { pattern, operation, toArguments, mimeType } of KINDS) {
    const match = pattern.exec(uri);
    if (match) return { operation, args: toArguments(match), mimeType };
  }
  throw unknownResource();
}
