import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * Bundles the sidecar into one file without dependencies, next to the installer's template and a manifest.
 * The build is reproducible: every node of the service must offer the same digest.
 */
export async function buildSidecar(outputFolder = join(here, '../dist/sidecar')) {
  const { outputFiles } = await build({
    entryPoints: [join(here, 'src/main.ts')],
    absWorkingDir: here,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    charset: 'utf8',
    loader: { '.sh': 'text' },
    legalComments: 'none',
    banner: { js: '#!/usr/bin/env node' },
  });
  const bundle = outputFiles[0].contents;
  const version = /SIDECAR_VERSION = '([^']+)'/.exec(readFileSync(join(here, 'src/protocol.ts'), 'utf8'))[1];
  const manifest = { version, code_digest: createHash('sha256').update(bundle).digest('hex') };

  mkdirSync(outputFolder, { recursive: true });
  writeWhole(join(outputFolder, 'installer.sh'), readInstaller());
  writeWhole(join(outputFolder, 'sidecar.mjs'), bundle);
  writeWhole(join(outputFolder, 'manifest.json'), `${JSON.stringify(manifest)}\n`);
  return manifest;
}

/** The launcher is embedded in the installer, so that a new desk downloads a single file. */
function readInstaller() {
  const installer = readFileSync(join(here, 'installer/installer.sh'), 'utf8');
  const launcher = readFileSync(join(here, 'installer/launcher.sh'), 'utf8');
  return installer.replace('@@LAUNCHER@@\n', () => launcher);
}

/** Several processes may build at once; writing through a rename keeps readers from seeing half a file. */
function writeWhole(path, content) {
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildSidecar();
