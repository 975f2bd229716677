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

/** The files of the repository that are made, never written. Each follows from the ones before. */
export async function* makeFiles(): AsyncGenerator<GeneratedFile> {
  yield* await withMigratedDatabase(async (client) => [
    { path: 'src/platform/database/schema/rows.generated.ts', text: await generateRows(client) },
    { path: 'src/platform/database/schema.sql', text: await generateSchema(client) },
  ]);
  // Imported late: the document's modules need the row types that may just have been written.
  const { buildOpenApi } = await import('../src/openapi-document.js');
  const document = JSON.parse(JSON.stringify(await buildOpenApi())) as OpenApi;
  yield { path: 'openapi.json', text: `${JSON.stringify(document, null, 2)}\n` };
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
