import { type OpenApi, type Operation, readOperations } from './document.js';
import { writeArguments, writeList, writeMethod, writeRow, writeStream } from './operation-text.js';
import { placeTypes, SHARED, typesOf } from './places.js';
import { breakUnion, namesIn, writeComment, writeFields, writeType } from './types.js';

export const AREAS_FOLDER = 'client/src/areas';
const HEAD = '// Made from openapi.json by `npm run generate`; changes here are lost.\n\n';

interface Area {
  /** For example `Sign-in and tokens`. */
  title: string;
  /** For example `SignInAndTokens`. */
  pascal: string;
  file: string;
  operations: Operation[];
  types: string[];
}

/** Generates the client: a file for each API area, a file for shared types, and an index of them. */
export function generateClient(document: OpenApi): { path: string; text: string }[] {
  const operations = readOperations(document);
  const places = placeTypes(document, operations);
  const typesIn = (title: string) => [...places].filter(([, place]) => place === title).map(([name]) => name);
  const areas = document.tags
    .map(({ name }) => describeArea(name, operations, typesIn(name)))
    .filter(({ operations: own }) => own.length > 0);
  refuseClashes([...places.keys()], operations);
  const shared = describeArea(SHARED, [], typesIn(SHARED));
  return [
    ...areas.map((area) => ({ path: pathOf(area), text: writeArea(document, area, places) })),
    { path: pathOf(shared), text: HEAD + shared.types.map((name) => writeNamed(document, name)).join('\n') },
    { path: `${AREAS_FOLDER}/index.generated.ts`, text: writeIndex(areas) },
  ];
}

const pathOf = ({ file }: Area) => `${AREAS_FOLDER}/${file}.generated.ts`;

function describeArea(title: string, operations: Operation[], types: string[]): Area {
  const words = title.toLowerCase().match(/[a-z0-9]+/g)!;
  return {
    title,
    pascal: words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(''),
    file: words.join('-'),
    operations: operations.filter(({ area }) => area === title),
    types,
  };
}

/** Rejects duplicate names, because TypeScript would silently merge them. */
function refuseClashes(types: string[], operations: Operation[]): void {
  const names = [
    ...types,
    ...operations.map(({ name }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Arguments`),
  ];
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`The client would have two types called ${twice.join(', ')}`);
}

function writeNamed(document: OpenApi, name: string): string {
  const schema = document.components.schemas[name]!;
  const comment = writeComment([schema.description ?? ''], '');
  const isPlain = schema.properties && schema.type === 'object';
  if (!isPlain)
    return `${comment}export type ${name} =${breakUnion(writeType(schema), '', name.length + 14)};\n`;
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([field, each]) => ({
    name: field,
    schema: each,
    required: required.includes(field),
  }));
  return `${comment}export interface ${name} ${writeFields(fields, '')}\n`;
}

function writeArea(document: OpenApi, area: Area, places: Map<string, string>): string {
  const { pascal, operations } = area;
  const lists = operations.filter(({ pagination }) => pagination);
  const streams = operations.filter(({ answer }) => answer.kind === 'events');
  const section = (kind: string, lines: string[]) =>
    lines.length === 0 ? '' : `export interface ${pascal}${kind} {\n${lines.join('')}}\n\n`;
  return [
    HEAD,
    writeImports(document, area, places),
    ...area.types.map((name) => `${writeNamed(document, name)}\n`),
    ...operations.map(writeArguments),
    `export interface ${pascal}Methods {\n${operations.map(writeMethod).join('\n')}}\n\n`,
    section(
      'Lists',
      lists.map((operation) => writeList(document, operation)),
    ),
    section('Streams', streams.map(writeStream)),
    `export const ${lowerFirst(pascal)} = {\n${operations.map((operation) => writeRow(document, operation)).join('')}} as const satisfies Record<string, Operation>;\n`,
  ].join('');
}

const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

function writeImports(document: OpenApi, { operations, types }: Area, places: Map<string, string>): string {
  const used = new Set([
    ...operations.flatMap(typesOf),
    ...types.flatMap((name) => namesIn(document.components.schemas[name])),
  ]);
  const shared = [...used].filter((name) => places.get(name) === SHARED).sort();
  const hasStream = operations.some(({ answer }) => answer.kind === 'events');
  const hasCall = operations.some(({ answer }) => answer.kind !== 'events');
  const takesNothing = operations.some(({ fields }) => fields.length === 0);
  const options = [
    ...(hasCall ? ['CallOptions'] : []),
    ...(takesNothing ? ['NoArguments'] : []),
    ...(hasStream ? ['ServerEvent', 'StreamOptions'] : []),
  ];
  return [
    "import type { Operation } from '../core/operation.js';",
    `import type { ${options.join(', ')} } from '../core/options.js';`,
    ...(shared.length > 0 ? [`import type { ${shared.join(', ')} } from './shared.generated.js';`] : []),
    '\n',
  ].join('\n');
}

function writeIndex(areas: Area[]): string {
  const merged = (kind: string, some: Area[]) =>
    `export interface ${kind}\n  extends ${some.map(({ pascal }) => `${pascal}${kind}`).join(',\n    ')} {}\n`;
  const withLists = areas.filter(({ operations }) => operations.some(({ pagination }) => pagination));
  const withStreams = areas.filter(({ operations }) =>
    operations.some(({ answer }) => answer.kind === 'events'),
  );
  const importsOf = (area: Area) => [
    lowerFirst(area.pascal),
    ...(withLists.includes(area) ? [`type ${area.pascal}Lists`] : []),
    `type ${area.pascal}Methods`,
    ...(withStreams.includes(area) ? [`type ${area.pascal}Streams`] : []),
  ];
  return [
    HEAD,
    ...areas.map((area) => `import { ${importsOf(area).join(', ')} } from './${area.file}.generated.js';\n`),
    '\n',
    ...areas.map(({ file }) => `export type * from './${file}.generated.js';\n`),
    "export type * from './shared.generated.js';\n\n",
    '/** Every operation of the service. */\n',
    merged('Methods', areas),
    '\n/** What `iterate` goes through. */\n',
    merged('Lists', withLists),
    '\n/** What `stream` follows. */\n',
    merged('Streams', withStreams),
    `\nexport const operations = {\n${areas.map(({ pascal }) => `  ...${lowerFirst(pascal)},\n`).join('')}};\n`,
  ].join('');
}
