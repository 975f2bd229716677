import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesApart } from '../build-server.mjs';
import { dist, root } from '../build-state.mjs';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * Packs the service with pages and command line, the client, and the command line. Returns the file names.
 */
export function packAll(folder) {
  const stage = join(folder, '.stage');
  rmSync(stage, { recursive: true, force: true });
  stageService(join(stage, 'guildhall'));
  const names = [join(stage, 'guildhall'), join(root, 'client'), join(root, 'cli')].map((source) =>
    pack(source, folder),
  );
  rmSync(stage, { recursive: true, force: true });
  return names;
}

/** Copies only files that run; bundled packages are no longer needed. */
export function stageProgram(folder) {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const part of ['src', 'sidecar', 'dashboard', 'package.json']) {
    cpSync(join(dist, part), join(folder, 'dist', part), { recursive: true });
  }
  cpSync(join(root, 'cli', 'dist', 'guildhall.cjs'), join(folder, 'bin', 'guildhall.cjs'));
  cpSync(join(root, 'scripts', 'release', 'guildhall.mjs'), join(folder, 'bin', 'guildhall.mjs'));
  chmodSync(join(folder, 'bin', 'guildhall.mjs'), 0o755);
  for (const text of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, text), join(folder, text));
}

function stageService(folder) {
  stageProgram(folder);
  cpSync(join(root, 'docs', 'install.md'), join(folder, 'README.md'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(describeService(), null, 2)}\n`);
}

function describeService() {
  const { name, version, description, license, type, engines, dependencies, optionalDependencies } = readJson(
    join(root, 'package.json'),
  );
  const apart = Object.entries(dependencies).filter(([each]) => packagesApart.includes(each));
  return {
    name,
    version,
    description,
    license,
    type,
    bin: { guildhall: 'bin/guildhall.mjs' },
    files: ['bin', 'dist', 'CHANGELOG.md'],
    engines,
    dependencies: Object.fromEntries(apart),
    optionalDependencies,
  };
}

function pack(source, folder) {
  const output = execFileSync(
    'npm',
    ['pack', source, '--json', '--ignore-scripts', '--pack-destination', folder, '--loglevel=error'],
    { encoding: 'utf8', cwd: root },
  );
  return JSON.parse(output)[0].filename;
}
