import { follow, type OpenApi, type Operation, type Schema } from './document.js';
import { LINE_WIDTH, writeComment, writeFields, writeType } from './types.js';

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

const argumentsName = ({ name }: Operation) => `${capital(name)}Arguments`;

const takesNothing = ({ fields }: Operation) => fields.length === 0;

const fieldsType = (operation: Operation) =>
  takesNothing(operation) ? 'NoArguments' : argumentsName(operation);

export const writeArguments = (operation: Operation): string =>
  takesNothing(operation)
    ? ''
    : `export interface ${argumentsName(operation)} ${writeFields(operation.fields, '')}\n\n`;

export function writeMethod(operation: Operation): string {
  const { name, summary, description, forms, answer } = operation;
  const comment = writeComment([summary.endsWith('.') ? summary : `${summary}.`, description], '  ');
  const mark = operation.fields.some(({ required }) => required) ? '' : '?';
  const type = fieldsType(operation);
  if (answer.kind === 'events')
    return comment + signature(name, `fields${mark}: ${type}`, 'StreamOptions', eventsType(operation));
  const plain = signature(name, `fields${mark}: ${type}`, 'CallOptions', `Promise<${answerType(operation)}>`);
  if (forms.length === 0) return comment + plain;
  // The overload that returns text comes first, because TypeScript picks the first match.
  const wish = `fields: ${type} & { format: ${forms.map((form) => `'${form}'`).join(' | ')} }`;
  return comment + signature(name, wish, 'CallOptions', 'Promise<string>') + plain;
}

function signature(name: string, fields: string, options: string, answer: string): string {
  const line = `  ${name}(${fields}, options?: ${options}): ${answer};\n`;
  if (line.length <= LINE_WIDTH + 1) return line;
  return `  ${name}(\n    ${fields},\n    options?: ${options},\n  ): ${answer};\n`;
}

const eventsType = (operation: Operation) =>
  `AsyncGenerator<ServerEvent<${eventType(operation)}>, void, undefined>`;

function answerType({ answer }: Operation): string {
  switch (answer.kind) {
    case 'json':
      return [...new Set(answer.schemas.map((schema) => writeType(schema, '  ')))].join(' | ');
    case 'text':
      return 'string';
    case 'bytes':
      return 'Blob';
    default:
      return 'void';
  }
}

const eventType = ({ event }: Operation) => (event ? writeType(event, '  ') : 'unknown');

export const writeStream = (operation: Operation): string =>
  `  ${operation.name}: { fields: ${fieldsType(operation)}; data: ${eventType(operation)} };\n`;

export const writeList = (document: OpenApi, operation: Operation): string => {
  const line = `  ${operation.name}: { fields: ${fieldsType(operation)}; item: `;
  return `${line}${itemTypes(document, operation)} };\n`;
};

/** Items without a named type are described by an indexed access into the answer's type. */
function itemTypes(document: OpenApi, operation: Operation): string {
  const schemas = itemSchemas(document, operation);
  const { items = null } = operation.pagination ?? {};
  if (schemas.every(({ $ref }) => $ref))
    return [...new Set(schemas.map((schema) => writeType(schema)))].join(' | ');
  const answer = answerType(operation);
  const holder = answer.includes(' | ') ? `(${answer})` : answer;
  return items === null ? `${holder}[number]` : `${holder}['${items}'][number]`;
}

/** The schemas of the list's items, one for each possible answer. */
function itemSchemas(document: OpenApi, { answer, pagination, name }: Operation): Schema[] {
  const answers = answer.kind === 'json' ? answer.schemas.map((schema) => follow(document, schema)) : [];
  return answers
    .flatMap((schema) => schema.anyOf ?? [schema])
    .map((schema) => {
      const whole = follow(document, schema);
      const list = pagination?.items ? follow(document, whole.properties?.[pagination.items] ?? {}) : whole;
      if (!list.items) throw new Error(`${name} declares pages of ${pagination?.items}, which is no list`);
      return list.items;
    });
}

/** The field that identifies an item. */
function keyOf(document: OpenApi, operation: Operation): string | undefined {
  const names = itemSchemas(document, operation).map((schema) =>
    Object.keys(follow(document, schema).properties ?? {}),
  );
  const [first = []] = names;
  return ['id', ...first.filter((name) => name.endsWith('_id'))].find((name) =>
    names.every((each) => each.includes(name)),
  );
}

/** The operation's entry in the table that the client core reads. */
export function writeRow(document: OpenApi, operation: Operation): string {
  const { name, method, path, query, body, raw, needsBody, file, answer, forms, reads, creates, operator } =
    operation;
  const row = {
    method,
    path,
    ...(query.length > 0 && { query }),
    ...(body && { body }),
    ...(body && body !== 'whole' && needsBody && { needsBody }),
    ...(raw && { raw }),
    ...(file && { file }),
    ...(answer.kind !== 'json' && { answer: answer.kind }),
    ...(forms.length > 0 && { forms: canAskForJson(operation) ? 'ask' : 'usual' }),
    ...(reads && { reads }),
    ...(creates && { creates }),
    ...(operator && { operator }),
    ...(operation.pagination && { pages: pagesOf(document, operation) }),
  };
  const parts = Object.entries(row).map(([key, value]) => `${key}: ${writeValue(value, '    ')}`);
  const line = `  ${name}: { ${parts.join(', ')} },\n`;
  return line.length <= LINE_WIDTH + 1
    ? line
    : `  ${name}: {\n${parts.map((part) => `    ${part},\n`).join('')}  },\n`;
}

const canAskForJson = ({ fields }: Operation) =>
  fields.some(({ name, schema }) => name === 'format' && schema.enum?.includes('json'));

function pagesOf(document: OpenApi, operation: Operation): object {
  const { pagination, fields } = operation;
  const size = pagination?.style === 'page' ? pagination.size : undefined;
  const usualSize = fields.find(({ name }) => name === size)?.schema.default;
  const key = keyOf(document, operation);
  return { ...pagination, ...(usualSize !== undefined && { usualSize }), ...(key && { key }) };
}

function writeValue(value: unknown, indent: string): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return writeTexts(value as string[], indent);
  if (value === null || typeof value !== 'object') return String(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${key}: ${writeValue(each, indent)}`)
    .join(', ')} }`;
}

/** Uses one line if the texts fit, or as few lines as possible. */
function writeTexts(texts: string[], indent: string): string {
  const words = texts.map((text) => `'${text}'`);
  const line = `[${words.join(', ')}]`;
  if (line.length + indent.length <= LINE_WIDTH - 10) return line;
  const lines: string[] = [];
  for (const word of words) {
    const longer = `${lines.at(-1)}, ${word}`;
    if (lines.length > 0 && indent.length + longer.length < LINE_WIDTH - 3) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return `[\n${lines.map((each) => `${indent}  ${each},\n`).join('')}${indent}]`;
}
