import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sha256Hex } from '../../../kernel/secrets.js';

/** The sidecar this service hands out. */
export interface SidecarRelease {
  version: string;
  codeDigest: string;
  bundle: Buffer;
  /** The installer's template. */
  installer: string;
}

/** The root of the sources, or of what was built from them: both trees have this file at the same depth. */
const tree = fileURLToPath(new URL('../../../../', import.meta.url));

let loading: Promise<SidecarRelease> | undefined;

/** Read once: a service promises one digest as long as it runs. */
export function loadSidecarRelease(): Promise<SidecarRelease> {
  loading ??= readRelease().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function readRelease(): Promise<SidecarRelease> {
  const folder = await releaseFolder();
  const [manifest, bundle, installer] = await Promise.all([
    readFile(join(folder, 'manifest.json'), 'utf8'),
    readFile(join(folder, 'sidecar.mjs')),
    readFile(join(folder, 'installer.sh'), 'utf8'),
  ]);
  const { version } = JSON.parse(manifest) as { version: string };
  return { version, codeDigest: sha256Hex(bundle), bundle, installer };
}

/** A built service has the release beside it; one that runs from its sources builds it from theirs. */
async function releaseFolder(): Promise<string> {
  const builder = join(tree, 'sidecar/build.mjs');
  if (!existsSync(builder)) return join(tree, 'sidecar');
  const { buildSidecar } = (await import(pathToFileURL(builder).href)) as {
    buildSidecar(): Promise<unknown>;
  };
  await buildSidecar();
  return join(tree, 'dist/sidecar');
}
