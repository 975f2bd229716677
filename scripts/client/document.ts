import type { Pagination } from '../../src/platform/http/declaration/route.js';

/** The parts of the OpenAPI document that the generator reads. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  description?: string;
  deprecated?: boolean;
  default?: unknown;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  deprecated?: boolean;
  description?: string;
  schema: Schema;
}

interface Content {
  /** JSON has a schema; other content types may have none. */
  content?: Record<string, { schema: Schema }>;
}

interface DocumentOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** Present only if it differs from the document's default. */
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: Content & { required: boolean; description?: string };
  responses: Record<string, Content>;
  'x-effect'?: string;
  'x-pagination'?: Pagination;
  'x-event'?: Schema;
}

export interface OpenApi {
  tags: { name: string }[];
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Field {
  name: string;
  required: boolean;
  schema: Schema;
}

export interface Operation {
  name: string;
  area: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  fields: Field[];
  query: string[];
  body: string[] | 'whole' | undefined;
  needsBody: boolean;
  /** The content type of a body that is sent unchanged. */
  raw: string | undefined;
  file: string | undefined;
  answer: { kind: 'json'; schemas: Schema[] } | { kind: 'text' | 'bytes' | 'nothing' | 'events' };
  forms: string[];
  event: Schema | undefined;
  reads: boolean;
  creates: boolean;
  operator: boolean;
  pagination: Pagination | undefined;
}

export const camelCase = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Resolves a reference. A description next to the reference takes precedence over the target's. */
export function follow<T extends object>(document: OpenApi, part: T): T {
  const { $ref, ...beside } = part as { $ref?: string };
  if ($ref === undefined) return part;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], document) as T;
  return { ...follow(document, found), ...beside };
}

export function readOperations(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      readOperation(document, method.toUpperCase(), path, operation),
    ),
  );
}

function readOperation(document: OpenApi, method: string, path: string, given: DocumentOperation): Operation {
  const { parameters = [], security = [] } = given;
  const input = readBody(document, given);
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const fromParameters = parameters
    .filter(
      (parameter) => parameter.in !== 'header' && !input.fields.some(({ name }) => name === parameter.name),
    )
    .map(({ name, required = false, deprecated, description, schema }) => ({
      name,
      required,
      schema: { ...schema, ...(description && { description }), ...(deprecated && { deprecated }) },
    }));
  const success = Object.entries(given.responses)
    .filter(([status]) => Number(status) < 400 && status !== '304')
    .map(([, response]) => follow(document, response));
  return {
    name: camelCase(given.operationId),
    area: given.tags[0]!,
    method,
    path,
    summary: given.summary,
    description: given.description ?? '',
    fields: [...fromParameters, ...input.fields],
    query,
    body: input.body,
    needsBody: given.requestBody?.required === true,
    raw: input.raw,
    file: input.file,
    answer: readAnswer(success),
    forms: formsOf(success),
    event: given['x-event'],
    reads: given['x-effect'] === 'read',
    creates: parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
    operator: security.some((requirement) => 'admin-key' in requirement),
    pagination: given['x-pagination'],
  };
}

const NO_BODY = {
  fields: [] as Field[],
  body: undefined as Operation['body'],
  raw: undefined as string | undefined,
  file: undefined as string | undefined,
};

const isShapeless = ({ description: _, ...shape }: Schema) => Object.keys(shape).length === 0;

function readBody(document: OpenApi, { requestBody, parameters = [] }: DocumentOperation) {
  const inQuery = (name: string) => parameters.some((parameter) => parameter.name === name);
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!type || !media) return { ...NO_BODY };
  const schema = follow(document, media.schema);
  // The service ignores a body field without a type that is also a query parameter.
  const fields = fieldsOf(schema).filter(({ schema: each, name }) => !isShapeless(each) || !inQuery(name));
  if (type.startsWith('multipart/')) return { ...NO_BODY, fields, file: fields[0]!.name };
  if (schema.properties && type === 'application/json')
    return { ...NO_BODY, fields, body: fields.map(({ name }) => name) };
  const { description = schema.description } = requestBody!;
  const whole = { name: 'body', required: true, schema: { ...schema, ...(description && { description }) } };
  return type === 'application/json'
    ? { ...NO_BODY, fields: [whole], body: 'whole' as const }
    : { ...NO_BODY, fields: [whole], raw: type };
}

/** A field with a default is optional. */
const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name) && schema.default === undefined,
    schema,
  }));

function readAnswer(success: Content[]): Operation['answer'] {
  const contents = success.flatMap(({ content = {} }) => Object.entries(content));
  const types = contents.map(([type]) => type);
  // The client accepts JSON only, so the service does not answer with an event stream here.
  if (types.includes('application/json')) {
    const schemas = contents.filter(([type]) => type === 'application/json').map(([, { schema }]) => schema);
    return { kind: 'json', schemas };
  }
  if (types.includes('text/event-stream')) return { kind: 'events' };
  if (types.length === 0) return { kind: 'nothing' };
  return { kind: types.every((type) => type.startsWith('text/')) ? 'text' : 'bytes' };
}

/** The formats other than JSON. */
const formsOf = (success: Content[]): string[] =>
  success.flatMap(({ content = {} }) => [
    ...('application/json' in content && 'application/yaml' in content ? ['yaml'] : []),
    ...('application/json' in content && 'text/markdown' in content ? ['md'] : []),
  ]);
