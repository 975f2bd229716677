import { unprocessable } from '../../kernel/errors.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
import { type Arguments, describeArguments, unknownField } from './arguments.js';
import { DETAIL } from './detail.js';
import { type AgentOperation, explain } from './operations.js';
import type { Tool } from './tools.js';

const query = { type: 'string', description: 'What you want to do, in a few words.' };
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

/** The four tools through which everything that has no tool of its own is found, understood and called. */
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
    description:
      'What an operation does and which arguments it takes; then read_operation or write_operation.',
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

/** What `query` of find_operation was called before. */
const FORMER_QUERY = 'words';

/** The arguments of one of them, if it knows them all. */
export function readCatalogArguments(tool: keyof typeof catalogTools, args: Arguments): Arguments {
  const { [FORMER_QUERY]: former, ...others } = args;
  const given = tool === 'find_operation' && former !== undefined ? { query: former, ...others } : args;
  const known = Object.keys(catalogTools[tool].inputSchema.properties);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownField(unknown, known);
  return given;
}

/** What was asked for in words. */
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
