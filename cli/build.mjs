import { chmodSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));

/** Bundles the command line into one file, so that it starts quickly and needs no node_modules. */
export async function buildCli() {
  const esbuild = await import('esbuild');
  const program = join(folder, 'dist', 'guildhall.cjs');
  // Renamed into place when complete, because other programs may build or run it at the same time.
  const outfile = `${program}.${process.pid}`;
  await esbuild.build({
    entryPoints: [join(folder, 'src', 'main.ts')],
    outfile,
    bundle: true,
    // CommonJS rather than a module, so that it runs under any file name, such as /usr/local/bin/guildhall.
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Identifiers are not minified, so that stack traces in bug reports stay readable.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'inline',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'warning',
  });
  chmodSync(outfile, 0o755);
  renameSync(outfile, program);
}

/** Also stops esbuild's service process, which would otherwise keep this process alive. */
export async function buildCliAlone() {
  await buildCli();
  const esbuild = await import('esbuild');
  await esbuild.stop();
}

export function isCliStale(program) {
  const built = statSync(program).mtimeMs;
  const isNewer = (path) =>
    statSync(path).isDirectory()
      ? readdirSync(path).some((name) => isNewer(join(path, name)))
      : statSync(path).mtimeMs > built;
  return [join(folder, 'src'), join(folder, '..', 'client', 'src'), join(folder, '..', 'packages')].some(
    isNewer,
  );
}
