import { chmodSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));

/** The whole program in one file, which starts quickly and needs nothing beside it. */
export async function buildCli() {
  const esbuild = await import('esbuild');
  const program = join(folder, 'dist', 'guildhall.cjs');
  // Put in place as a whole: several may build at once, and others run it meanwhile.
  const outfile = `${program}.${process.pid}`;
  await esbuild.build({
    entryPoints: [join(folder, 'src', 'main.ts')],
    outfile,
    bundle: true,
    // Not a module: it then runs under any name, such as /usr/local/bin/guildhall.
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Names stay readable in what people report.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'inline',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'warning',
  });
  chmodSync(outfile, 0o755);
  renameSync(outfile, program);
}

/** The same where nothing else is being built: the compiler would stay beside us for a next question that never comes. */
export async function buildCliAlone() {
  await buildCli();
  const esbuild = await import('esbuild');
  await esbuild.stop();
}

/** Whether a source was changed after the program was built. */
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
