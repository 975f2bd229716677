import { readdir, readFile } from 'node:fs/promises';
import { AREAS_FOLDER, generateClient } from './client/areas.js';
import type { OpenApi } from './client/document.js';
import { generateRows } from './generate-rows.js';
import { generateSchema } from './generate-schema.js';
import { withMigratedDatabase } from './migrated-database.js';

interface GeneratedFile {
  path: string;
  text: string;
}

/** Generates all generated files of the repository. Each step depends on the ones before. */
export async function* makeFiles(): AsyncGenerator<GeneratedFile> {
  yield* await withMigratedDatabase(async (client) => [
    { path: 'src/platform/database/schema/rows.generated.ts', text: await generateRows(client) },
    { path: 'src/platform/database/schema.sql', text: await generateSchema(client) },
  ]);
  // Imported late, because the module needs the row types that the first step may have changed.
  const { buildOpenApi } = await import('../src/openapi-document.js');
  const document = JSON.parse(JSON.stringify(await buildOpenApi())) as OpenApi;
  yield { path: 'openapi.json', text: `${JSON.stringify(document, null, 2)}\n` };
  yield* generateClient(document);
  for (const path of ['client/package.json', 'cli/package.json'])
    yield { path, text: await writeVersion(path) };
  // Imported late for the same reason.
  const { makeStatePage } = await import('./state-diagram.js');
  yield await makeStatePage();
}

/** The packages use the version of the repository's package.json. */
async function writeVersion(path: string): Promise<string> {
  const read = (file: string) => readFile(file, 'utf8');
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  return (await read(path)).replace(/"version": "[^"]*"/, `"version": "${version}"`);
}

/** Lists generated files whose area no longer exists. */
export async function listLeftovers(made: Set<string>): Promise<string[]> {
  const present = await readdir(AREAS_FOLDER).catch(() => []);
  return present.map((name) => `${AREAS_FOLDER}/${name}`).filter((path) => !made.has(path));
}
