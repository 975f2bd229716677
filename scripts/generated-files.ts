import { readdir, readFile } from 'node:fs/promises';
import { AREAS_FOLDER, generateClient } from './client/areas.js';
import type { OpenApi } from './client/document.js';
import { generateRows } from './generate-rows.js';

interface GeneratedFile {
  path: string;
  text: string;
}

/** The files of the repository that are made, never written. Each follows from the ones before. */
export async function* makeFiles(): AsyncGenerator<GeneratedFile> {
  yield { path: 'src/platform/database/schema/rows.generated.ts', text: await generateRows() };
  // Imported late: the document's modules need the row types that may just have been written.
  const { buildOpenApi } = await import('../src/openapi-document.js');
  const document = JSON.parse(JSON.stringify(await buildOpenApi())) as OpenApi;
  yield { path: 'openapi.json', text: `${writeJson(document)}\n` };
  yield* generateClient(document);
  for (const path of ['client/package.json', 'cli/package.json'])
    yield { path, text: await writeVersion(path) };
  // Imported late, as it needs the row types.
  const { makeStatePage } = await import('./state-diagram.js');
  yield await makeStatePage();
}

/** The version stands in the package.json of the repository; the packages beside it follow. */
async function writeVersion(path: string): Promise<string> {
  const read = (file: string) => readFile(file, 'utf8');
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  return (await read(path)).replace(/"version": "[^"]*"/, `"version": "${version}"`);
}

/** An area that is no longer there leaves its file behind. */
export async function listLeftovers(made: Set<string>): Promise<string[]> {
  const present = await readdir(AREAS_FOLDER).catch(() => []);
  return present.map((name) => `${AREAS_FOLDER}/${name}`).filter((path) => !made.has(path));
}

const LINE_WIDTH = 6000;

/**
 * JSON for readers who are in no hurry: what fits on a line stands on one, and lines are filled. Indented by one, without
 * blanks: the document nests deep, and spread out it would be a third longer.
 */
function writeJson(value: unknown, indent = '', before = 0): string {
  const line = JSON.stringify(value);
  if (indent.length + before + line.length <= LINE_WIDTH || value === null || typeof value !== 'object')
    return line;
  const inner = `${indent} `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((each) => writeJson(each, inner))
    : Object.entries(value).map(([key, each]) => {
        const name = `${JSON.stringify(key)}:`;
        return name + writeJson(each, inner, name.length);
      });
  return `${open}\n${fillLines(parts, inner)}\n${indent}${close}`;
}

/** As many on each line as fit; what needs several lines has them for itself. */
function fillLines(texts: string[], indent: string): string {
  const lines: string[] = [];
  let open = false;
  for (const text of texts) {
    const single = !text.includes('\n');
    const longer = `${lines.at(-1)},${text}`;
    if (open && single && indent.length + longer.length < LINE_WIDTH) lines[lines.length - 1] = longer;
    else lines.push(text);
    open = single;
  }
  return lines.map((line) => indent + line).join(',\n');
}
