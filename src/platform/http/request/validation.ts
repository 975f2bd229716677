import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { TObject, TSchema } from 'typebox';
import { ApiError, unprocessable } from '../../../kernel/errors.js';
import { isObject } from '../../../kernel/is-object.js';

const addFormats = addFormatsModule as unknown as (ajv: Ajv, formats: string[]) => Ajv;

const ajv = new Ajv({
  useDefaults: true,
  strict: false,
  // Rejects Infinity, which 1e999 parses to.
  strictNumbers: true,
  // Errors include the violated schema, for the message.
  verbose: true,
});
addFormats(ajv, ['uuid', 'date-time', 'email', 'uri']);

/** Rejecting a long text is cheaper than parsing it. */
const LONGEST_TIMESTAMP = 64;

/** RFC 3339 allows times that JavaScript cannot represent, such as leap seconds. */
const { validate: isTimestamp } = ajv.formats['date-time'] as { validate(text: string): boolean };
ajv.addFormat(
  'date-time',
  (text) => text.length <= LONGEST_TIMESTAMP && isTimestamp(text) && !Number.isNaN(Date.parse(text)),
);

/** Keyed by schema text, so that shared schemas are compiled once. */
const validators = new Map<string, ValidateFunction>();

/** Compiles on first use, because most processes serve few of their routes. */
function compileLater(schema: TSchema): () => ValidateFunction {
  let compiled: ValidateFunction | undefined;
  return () => {
    compiled ??= compileOnce(schema);
    return compiled;
  };
}

function compileOnce(schema: TSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = validators.get(text);
  if (known) return known;
  const compiled = ajv.compile(schema);
  validators.set(text, compiled);
  return compiled;
}

export type Validator = (value: unknown) => void;

/** Throws one sentence that names the field and the rule, and fills in defaults. */
export function bodyValidator(schema: TSchema): Validator {
  const compiled = compileLater(schema);
  const takesAnyJson = (schema as { 'x-any-json'?: boolean })['x-any-json'] === true;
  return (value) => {
    if (!takesAnyJson && !isObject(value)) throw unprocessable('The body must be a JSON object');
    const validate = compiled();
    if (!validate(value)) throw refusalOf(validate);
  };
}

interface QueryRule {
  status: 400 | 422;
  /** The cursor parameter. A wrong cursor is always a 400. */
  cursor?: string | undefined;
}

export function queryValidator(
  schema: TObject,
  { status, cursor }: QueryRule,
): (raw: Record<string, unknown>) => Record<string, unknown> {
  const compiled = compileLater(schema);
  const properties = Object.entries(schema.properties as Record<string, TSchema>);
  return (raw) => {
    const query: Record<string, unknown> = {};
    for (const [name, property] of properties) {
      const given = raw[name] ?? raw[(property as { formerly?: string }).formerly ?? name];
      if (given !== undefined) query[name] = decodeText(given, property);
    }
    const validate = compiled();
    const statusFor = (name: string) => (name === cursor ? 400 : status);
    if (!validate(query)) {
      const { field, sentence } = describeQueryFault(validate);
      throw new ApiError(statusFor(field), sentence);
    }
    const unsuitable = properties.find(([name]) => hasUnsuitableText(query[name]));
    if (unsuitable)
      throw new ApiError(
        statusFor(unsuitable[0]),
        `${unsuitable[0]} must not contain characters that are no text`,
      );
    return query;
  };
}

function refusalOf(validate: ValidateFunction): ApiError {
  const refusal = unprocessable(describeFault(validate));
  const { keyword, parentSchema } = mostRelevant(validate.errors ?? []);
  const { properties } = (parentSchema ?? {}) as { properties?: object };
  if (keyword === 'additionalProperties' && properties) refusal.known = Object.keys(properties);
  return refusal;
}

/** For tests: returns the first violation of a response. */
export function responseChecker(schema: TSchema): (value: unknown) => string | undefined {
  const compiled = compileLater(schema);
  return (value) => {
    const validate = compiled();
    return validate(value) ? undefined : describeFault(validate);
  };
}

const hasUnsuitableText = (value: unknown): boolean =>
  typeof value === 'string' && (value.includes('\0') || !value.isWellFormed());

function decodeText(value: unknown, schema: TSchema): unknown {
  const type = (schema as { type?: string }).type;
  if (typeof value !== 'string') return value;
  if (type === 'integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (type === 'number') return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

const describeQueryFault = (validate: ValidateFunction) => ({
  field: fieldName(mostRelevant(validate.errors ?? []).instancePath),
  sentence: describeFault(validate),
});

function describeFault(validate: ValidateFunction): string {
  const fault = mostRelevant(validate.errors ?? []);
  const field = fieldName(fault.instancePath);
  switch (fault.keyword) {
    case 'required':
      return `${join(field, fault.params['missingProperty'])} is required`;
    case 'additionalProperties':
      return `${join(field, fault.params['additionalProperty'])} is not a known field`;
    case 'enum':
      return `${field} must be one of: ${(fault.params['allowedValues'] as unknown[]).join(', ')}`;
    case 'const':
      return `${field} must be ${JSON.stringify(fault.params['allowedValue'])}`;
    case 'type':
      return `${field} must be ${describeTypes(fault.params['type'])}`;
    case 'minLength':
      return fault.params['limit'] === 1
        ? `${field} must not be empty`
        : `${field} must have at least ${fault.params['limit']} characters`;
    case 'maxLength':
      return `${field} must have at most ${fault.params['limit']} characters`;
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return `${field} ${rangeOf(fault)}`;
    case 'minItems':
      return `${field} must have at least ${countItems(fault)}`;
    case 'maxItems':
      return `${field} must have at most ${countItems(fault)}`;
    case 'format':
      if (ruleOf(fault)) return `${field} ${ruleOf(fault)}`;
      return `${field} must be a valid ${FORMAT_NAMES[fault.params['format'] as string] ?? fault.params['format']}`;
    case 'pattern':
      return `${field} ${ruleOf(fault) ?? 'has a character or form that is not allowed'}`;
    default:
      return `${field} ${fault.message ?? 'is not valid'}`;
  }
}

const ruleOf = ({ parentSchema }: ErrorObject): string | undefined =>
  (parentSchema as { rule?: string } | undefined)?.rule;

const countItems = ({ params: { limit } }: ErrorObject) => `${limit} item${limit === 1 ? '' : 's'}`;

const FORMAT_NAMES: Record<string, string> = {
  uuid: 'UUID',
  'date-time': 'ISO 8601 time',
  email: 'e-mail address',
  uri: 'URL',
};

const TYPE_NAMES: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const describeTypes = (types: string | string[]): string =>
  [types]
    .flat()
    .map((type) => TYPE_NAMES[type] ?? type)
    .join(' or ');

function rangeOf(fault: ErrorObject): string {
  const schema = (fault.parentSchema ?? {}) as { minimum?: number; maximum?: number };
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    return `must be from ${schema.minimum} to ${schema.maximum}`;
  return `must be ${fault.params['comparison']} ${fault.params['limit']}`;
}

/** Skips the branch of a union that only reports a missing null. */
function mostRelevant(errors: ErrorObject[]): ErrorObject {
  const relevant = errors.filter(
    (e) => !['anyOf', 'oneOf'].includes(e.keyword) && !(e.keyword === 'type' && e.params['type'] === 'null'),
  );
  return relevant.find((e) => e.keyword !== 'type') ?? relevant[0] ?? errors[0]!;
}

const fieldName = (instancePath: string): string =>
  instancePath
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');

const join = (parent: string, child: string): string => (parent ? `${parent}.${child}` : child);
