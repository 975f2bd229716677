import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const dist = join(root, 'dist');
export const mainModule = join(dist, 'src', 'main.js');

const manifestPath = join(dist, 'build.json');
const isTest = (path) => /\.test\.[cm]?[jt]sx?$/.test(path);

/**
 * The parts that are built separately. `inputs` are files or folders of the repository; `output` is a file in
 * dist/, so that a part with a deleted output counts as stale.
 */
const parts = {
  server: {
    inputs: ['src', 'packages', 'package.json', 'package-lock.json', 'scripts/build-server.mjs'],
    output: 'dist/src/main.js',
  },
  sidecar: { inputs: ['sidecar'], requires: 'sidecar/build.mjs', output: 'dist/sidecar/manifest.json' },
  dashboard: {
    inputs: ['dashboard', 'client', 'openapi.json', 'package-lock.json'],
    requires: 'dashboard/index.html',
    output: 'dist/dashboard/index.html',
  },
};

/** Parts for releases and tests. The service starts without them, so they are built only on request. */
const extras = {
  modules: {
    inputs: ['src', 'packages', 'package.json', 'scripts/build-server.mjs'],
    output: 'dist/modules/src/main.js',
  },
  client: { inputs: ['client'], output: 'client/dist/index.js' },
  cli: { inputs: ['cli', 'client', 'packages'], output: 'cli/dist/guildhall.cjs' },
};
const everyPart = { ...parts, ...extras };

/** Lists all files under a path of the repository that go into a build, sorted, as absolute paths. */
export function listSources(input) {
  const start = join(root, input);
  const found = [];
  const visit = (path, entry) => {
    if (!entry.isDirectory()) {
      if (!isTest(path)) found.push(path);
      return;
    }
    for (const child of readdirSync(path, { withFileTypes: true })) {
      if (child.name === 'node_modules' || child.name === 'dist' || child.name.startsWith('.')) continue;
      visit(join(path, child.name), child);
    }
  };
  if (existsSync(start)) visit(start, statSync(start));
  return found.sort();
}

function hashSources(name, describe) {
  const hash = createHash('sha256');
  for (const input of everyPart[name].inputs) {
    for (const path of listSources(input)) {
      hash.update(`${relative(root, path).split(sep).join('/')}\0`);
      hash.update(describe(path));
      hash.update('\0');
    }
  }
  return hash.digest('hex');
}

const hashStats = (name) =>
  hashSources(name, (path) => {
    const { size, mtimeMs } = statSync(path);
    return `${size}:${mtimeMs}`;
  });
const hashContents = (name) => hashSources(name, (path) => readFileSync(path));

function readManifest() {
  try {
    return JSON.parse(readFileSync(manifestPath, 'utf8'));
  } catch {
    return {};
  }
}

function writeManifest(manifest) {
  writeFileSync(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Describes the sources. Called before a build, so that an edit during the build makes it stale. */
export function describeSources(name) {
  return { stats: hashStats(name), contents: hashContents(name) };
}

export function rememberBuild(name, description) {
  writeManifest({ ...readManifest(), [name]: description });
}

function isPartStale(name) {
  const { requires, output } = everyPart[name];
  if (requires && !existsSync(join(root, requires))) return false;
  if (output && !existsSync(join(root, output))) return true;
  const built = readManifest()[name];
  if (!built) return true;
  if (built.stats === hashStats(name)) return false;
  if (built.contents !== hashContents(name)) return true;
  try {
    // A fresh checkout has new timestamps but the same contents; recording them makes the next start fast.
    rememberBuild(name, describeSources(name));
  } catch {
    // A read-only dist/ only means that the next start compares contents again.
  }
  return false;
}

/**
 * Lists the parts whose build is missing or older than the sources, by default the parts that the service
 * needs. An installation without sources is never stale.
 */
export function listStaleParts(names = Object.keys(parts)) {
  if (!existsSync(join(root, 'src'))) return [];
  return names.filter(isPartStale);
}
