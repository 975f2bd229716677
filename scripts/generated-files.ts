import { generateRows } from './generate-rows.js';

interface GeneratedFile {
  path: string;
  make: () => Promise<string>;
}

/** The files of the repository that are made, never written. */
export const generatedFiles: GeneratedFile[] = [
  { path: 'src/database/rows.generated.ts', make: async () => generateRows() },
  {
    path: 'openapi.json',
    make: async () => {
      // Imported late: the document's modules need the row types that may just have been written.
      const { buildOpenApi } = await import('../src/openapi-document.js');
      return `${writeJson(await buildOpenApi())}\n`;
    },
  },
];

const LINE_WIDTH = 240;

/** JSON that can be read and compared, and stays small: what fits on a line stands on one, and the document nests deep. */
function writeJson(value: unknown, indent = '', before = 0): string {
  const line = writeLine(value);
  if (indent.length + before + line.length <= LINE_WIDTH || value === null || typeof value !== 'object')
    return line;
  const inner = `${indent} `;
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return `[\n${fillLines(value.map(writeLine), inner)}\n${indent}]`;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((each) => writeJson(each, inner))
    : entriesOf(value).map(([key, each]) => {
        const name = `${JSON.stringify(key)}: `;
        return name + writeJson(each, inner, name.length);
      });
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

/** As many on each line as fit. */
function fillLines(texts: string[], indent: string): string {
  const lines: string[] = [];
  for (const text of texts) {
    const longer = `${lines.at(-1)}, ${text}`;
    if (lines.length > 0 && indent.length + longer.length < LINE_WIDTH) lines[lines.length - 1] = longer;
    else lines.push(text);
  }
  return lines.map((line) => indent + line).join(',\n');
}

function writeLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeLine).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const parts = entriesOf(value).map(([key, each]) => `${JSON.stringify(key)}:${writeLine(each)}`);
  return `{${parts.join(',')}}`;
}

const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, each]) => each !== undefined);
