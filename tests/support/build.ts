import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Part = 'server' | 'modules' | 'sidecar' | 'dashboard';

export const root = join(import.meta.dirname, '../..');

/** The bundled program, which loads in a tenth of the time that the sources take. */
export const builtProgram = join(root, 'dist/src/main.js');

/** Builds the parts that are older than their sources. Concurrent test workers wait for each other. */
export async function ensureBuilt(...parts: Part[]): Promise<void> {
  const script = pathToFileURL(join(root, 'scripts/build.mjs')).href;
  const { buildWhenStale } = (await import(script)) as { buildWhenStale(parts: Part[]): Promise<boolean> };
  await buildWhenStale(parts);
}
