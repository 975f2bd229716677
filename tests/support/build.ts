import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Part = 'server' | 'modules' | 'sidecar' | 'dashboard';

export const root = join(import.meta.dirname, '../..');

/** The program as people start it; it is loaded in a tenth of the time that the sources take. */
export const builtProgram = join(root, 'dist/src/main.js');

/** Builds of these parts what is older than its sources. Workers that want it at once take turns. */
export async function ensureBuilt(...parts: Part[]): Promise<void> {
  const script = pathToFileURL(join(root, 'scripts/build.mjs')).href;
  const { buildWhenStale } = (await import(script)) as { buildWhenStale(parts: Part[]): Promise<boolean> };
  await buildWhenStale(parts);
}
