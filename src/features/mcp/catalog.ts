import { writeYaml } from '../../http/answer/yaml.js';
import { unprocessable } from '../../kernel/errors.js';
import { describeArguments } from './arguments.js';
import { DETAIL } from './detail.js';
import { type AgentOperation, explain } from './operations.js';
import type { Tool } from './tools.js';

const MOST_FOUND = 20;

const words = { type: 'string', description: 'What you want to do, in a few words.' };
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
      'Find any operation of Guildhall by words when no other tool fits. Lists names with one line each; then describe_operation.',
    inputSchema: { type: 'object', properties: { words }, required: ['words'] },
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

export const isCatalogTool = (name: string): name is keyof typeof catalogTools =>
  Object.hasOwn(catalogTools, name);

/** The operations that share the most words with the question, the rarer words first. */
export function findOperations(operations: readonly AgentOperation[], question: unknown): string {
  if (typeof question !== 'string' || question.trim() === '') throw unprocessable('words is required');
  const asked = [...new Set(splitWords(question))];
  const texts = operations.map((operation) => ({ operation, words: wordsOf(operation) }));
  const weights = new Map(
    asked.map((word) => [word, 1 / (1 + texts.filter(({ words }) => words.has(word)).length)]),
  );
  const found = texts
    .map(({ operation, words: own }) => ({
      operation,
      score: asked.reduce((sum, word) => sum + (own.has(word) ? weights.get(word)! : 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND);
  if (found.length === 0) return 'No operation has these words; try others.';
  return writeYaml(
    found.map(({ operation: { name, route, effect } }) => ({ name, effect, does: route.summary })),
  );
}

const wordsOf = ({ name, route, toolset }: AgentOperation): Set<string> =>
  new Set(
    splitWords([name, toolset, route.summary, route.description ?? '', route.tags.join(' ')].join(' ')),
  );

/** Plurals and the like fall together: good enough to find a name among a hundred. */
const splitWords = (text: string): string[] =>
  text
    .toLowerCase()
    .slice(0, 1000)
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1)
    .map((word) => word.replace(/(?:ies|es|s|ing|ed)$/, ''));

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
