import type { Field, Schema } from './document.js';

export const LINE_WIDTH = 110;

/** Writes a schema as a TypeScript type. `indent` is the indentation of the line on which it starts. */
export function writeType(schema: Schema, indent = ''): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1)!;
  if (schema.enum) return union(schema.enum.map(writeLiteral));
  if ('const' in schema) return writeLiteral(schema.const);
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return union(parts.map((part) => writeType(part, indent)));
  if (schema.allOf) return schema.allOf.map((part) => writeType(part, indent)).join(' & ');
  const types = [schema.type ?? (schema.properties ? 'object' : [])].flat();
  if (types.length === 0) return 'unknown';
  return union(types.map((type) => writeNamedType(type, schema, indent)));
}

function writeNamedType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'array':
      return writeArray(writeType(schema.items ?? {}, indent));
    case 'object':
      return writeObject(schema, indent);
    default:
      return type;
  }
}

const writeArray = (item: string) =>
  /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;

const union = (types: string[]) => [...new Set(types)].join(' | ');

const writeLiteral = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);

function writeObject(schema: Schema, indent: string): string {
  const { properties, additionalProperties, patternProperties } = schema;
  if (properties && Object.keys(properties).length > 0) return writeFields(fieldsOf(schema), indent);
  const values =
    Object.values(patternProperties ?? {})[0] ??
    (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  return `Record<string, ${values ? writeType(values, indent) : additionalProperties === false ? 'never' : 'unknown'}>`;
}

const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }));

/** Writes `{ ... }` with a line and a doc comment for each field. */
export function writeFields(fields: Field[], indent: string): string {
  const inner = `${indent}  `;
  const lines = fields.map(({ name, required, schema }) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
    const comment = writeComment([schema.description ?? ''], inner, schema.deprecated);
    const type = breakUnion(writeType(schema, inner), inner, key.length + 3);
    return `${comment}${inner}${key}${required ? '' : '?'}:${type};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

/** Writes a type after a colon or an equals sign. A union that is too long gets a line per member. */
export function breakUnion(type: string, indent: string, before: number): string {
  const members = type.split(' | ');
  const fits = indent.length + before + type.length <= LINE_WIDTH;
  if (fits || members.length < 2 || /[\n(<]/.test(type)) return ` ${type}`;
  return members.map((member) => `\n${indent}  | ${member}`).join('');
}

export function writeComment(paragraphs: string[], indent: string, deprecated = false): string {
  const texts = [...paragraphs, deprecated ? '@deprecated' : '']
    .filter(Boolean)
    .map((text) => text.replaceAll('*/', '*\u200b/'));
  if (texts.length === 0) return '';
  const lines = texts.flatMap((text) => wrap(text, LINE_WIDTH - indent.length - 3));
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The components that a schema refers to directly. */
export function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (value === null || typeof value !== 'object') return [];
  const { $ref } = value as Schema;
  if (typeof $ref === 'string') return [$ref.split('/').at(-1)!];
  return Object.values(value).flatMap(namesIn);
}
