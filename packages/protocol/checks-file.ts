import { parse } from 'yaml';
import { isInvolvedYaml } from './involved-yaml.js';

export const CHECKS_FILE = '.guildhall/checks.yaml';
export const LARGEST_CHECKS_FILE = 128 * 1024;
export const DEFAULT_MINUTES = 15;
export const MOST_MINUTES = 120;
export const MOST_CHECKS = 20;

/** A name appears in logs and addresses, so it is one line. */
export const CHECK_NAME = {
  maxLength: 60,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$',
  rule: 'must be one line that is not blank',
};
export const CHECK_COMMAND = { maxLength: 4000, pattern: '\\S', rule: 'must not be blank' };

interface Step {
  command: string;
  minutes: number;
}

/** The definition with all defaults filled in. */
export interface ChecksDefinition {
  checks: ({ name: string } & Step)[];
  setup: Step | null;
  required: boolean;
}

interface StepInput {
  command: string;
  minutes?: number;
}

/** The definition as a person writes it. */
export interface ChecksInput {
  checks?: ({ name: string } & StepInput)[];
  setup?: StepInput | null;
  required?: boolean;
}

export class ChecksFault extends Error {}

const refuse = (sentence: string): never => {
  throw new ChecksFault(sentence);
};

const LONGEST_FAULT = 300;
export const describeChecksFault = (sentence: string): string =>
  `${CHECKS_FILE} does not count: ${sentence.slice(0, LONGEST_FAULT)}`;

export const notPlainFile = (limitBytes: number): string =>
  `it is no plain file of at most ${limitBytes} bytes`;
export const repeatedName = (name: string, field = 'checks'): string =>
  `${field} must not have the name ${name} twice`;

/** Reads the definition in a repository; throws a ChecksFault when it does not match the schema. */
export function readChecksFile(text: string): ChecksDefinition {
  const content = parseYaml(text) ?? {};
  if (!isObject(content)) return refuse('it is not a mapping');
  judgeDefinition(content, '');
  return settleChecks(content as ChecksInput);
}

export function settleChecks({ checks = [], setup = null, required = true }: ChecksInput): ChecksDefinition {
  const names = new Set<string>();
  for (const { name } of checks) {
    if (names.has(name)) refuse(repeatedName(name));
    names.add(name);
  }
  const settle = ({ command, minutes = DEFAULT_MINUTES }: StepInput): Step => ({ command, minutes });
  return {
    checks: checks.map((check) => ({ name: check.name, ...settle(check) })),
    setup: setup && settle(setup),
    required,
  };
}

function parseYaml(text: string): unknown {
  if (isInvolvedYaml(text)) return refuse('it has more keys, list items, levels or escapes than are read');
  try {
    return parse(text, { schema: 'core', maxAliasCount: 50, prettyErrors: false, logLevel: 'error' });
  } catch {
    return refuse('it is not valid YAML');
  }
}

type Rule = (value: unknown, field: string) => void;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const join = (field: string, name: string | number) => (field === '' ? String(name) : `${field}.${name}`);

const textRule =
  ({ maxLength, pattern, rule }: { maxLength: number; pattern: string; rule: string }): Rule =>
  (value, field) => {
    if (typeof value !== 'string') return refuse(`${field} must be a string`);
    if ([...value].length > maxLength) refuse(`${field} must have at most ${maxLength} characters`);
    if (!new RegExp(pattern, 'u').test(value)) refuse(`${field} ${rule}`);
  };

const minutesRule: Rule = (value, field) => {
  if (!Number.isInteger(value)) refuse(`${field} must be a whole number`);
  if ((value as number) < 1 || (value as number) > MOST_MINUTES)
    refuse(`${field} must be from 1 to ${MOST_MINUTES}`);
};

const objectRule =
  (fields: Record<string, Rule>, required: string[] = []): Rule =>
  (value, field) => {
    if (!isObject(value)) return refuse(`${field} must be an object`);
    const missing = required.find((name) => value[name] === undefined);
    if (missing !== undefined) refuse(`${join(field, missing)} is required`);
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
    if (unknown !== undefined) refuse(`${join(field, unknown)} is not a known field`);
    for (const [name, judge] of Object.entries(fields))
      if (value[name] !== undefined) judge(value[name], join(field, name));
  };

const step = { command: textRule(CHECK_COMMAND), minutes: minutesRule };
const judgeCheck = objectRule({ name: textRule(CHECK_NAME), ...step }, ['name', 'command']);
const judgeSetup = objectRule(step, ['command']);

const judgeDefinition = objectRule({
  checks: (value, field) => {
    if (!Array.isArray(value)) return refuse(`${field} must be a list`);
    if (value.length > MOST_CHECKS) refuse(`${field} must have at most ${MOST_CHECKS} items`);
    for (const [at, check] of value.entries()) judgeCheck(check, join(field, at));
  },
  setup: (value, field) => {
    if (value !== null) judgeSetup(value, field);
  },
  required: (value, field) => {
    if (typeof value !== 'boolean') refuse(`${field} must be true or false`);
  },
});
