import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { buildModules, buildServer } from './build-server.mjs';
import { describeSources, dist, listStaleParts, rememberBuild, root } from './build-state.mjs';

const builders = {
  server: buildServer,
  modules: buildModules,
  sidecar: buildSidecar,
  dashboard: buildDashboard,
  client: buildClient,
  cli: buildCommandLine,
};
const lockPath = join(dist, '.lock');
const compress = promisify(brotliCompress);

const forPeople = Object.keys(builders).filter((name) => name !== 'modules');

/** Builds the named parts in parallel, by default all except the modules for tests. */
export async function build(names = forPeople) {
  await Promise.all(
    names.map(async (name) => {
      const description = describeSources(name);
      const built = await builders[name]();
      if (built) rememberBuild(name, description);
    }),
  );
  await endCompiler();
}

/**
 * Builds the stale ones of the named parts, by default of the parts that the service needs. The lock makes
 * programs that start at once wait for the first, which does the work.
 */
export async function buildWhenStale(names) {
  if (listStaleParts(names).length === 0) return false;
  mkdirSync(dist, { recursive: true });
  const release = await takeLock();
  try {
    const stale = listStaleParts(names);
    if (stale.length > 0) await build(stale);
    return stale.length > 0;
  } finally {
    release();
  }
}

/** Stops esbuild's service process, which would otherwise keep this process alive. */
async function endCompiler() {
  const esbuild = await import('esbuild');
  await esbuild.stop();
}

async function buildSidecar() {
  const builder = join(root, 'sidecar', 'build.mjs');
  if (!existsSync(builder)) return false;
  const module = await import(pathToFileURL(builder).href);
  await module.buildSidecar();
  return true;
}

async function buildDashboard() {
  const folder = join(root, 'dashboard');
  if (!existsSync(join(folder, 'index.html'))) return false;
  const vite = await import('vite');
  // A test runner sets NODE_ENV=test, but the build is for production.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await vite.build({
      root: folder,
      logLevel: 'warn',
      build: { outDir: join(dist, 'dashboard'), emptyOutDir: true },
    });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  await compressAssets(join(dist, 'dashboard', 'assets'));
  return true;
}

/** Compresses once at maximum quality instead of on every request, and in parallel to use all cores. */
async function compressAssets(folder) {
  const names = readdirSync(folder).filter((each) => /\.(js|css|svg)$/.test(each));
  await Promise.all(
    names.map(async (name) => {
      const bytes = readFileSync(join(folder, name));
      const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      writeFileSync(join(folder, `${name}.br`), await compress(bytes, { params: size }));
    }),
  );
}

/** Builds the client's modules and types into its own folder, where `npm pack` expects them. */
async function buildClient() {
  const folder = join(root, 'client');
  // An installation without development tools does not need the client package.
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(join(folder, 'package.json')) || !existsSync(compiler)) return false;
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' });
  return true;
}

/** Builds the command line into its own folder, where `npm pack` expects it. */
async function buildCommandLine() {
  const builder = join(root, 'cli', 'build.mjs');
  if (!existsSync(builder)) return false;
  const module = await import(pathToFileURL(builder).href);
  await module.buildCli();
  return true;
}

async function takeLock() {
  for (;;) {
    try {
      const file = openSync(lockPath, 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      return () => rmSync(lockPath, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isLockAbandoned()) rmSync(lockPath, { force: true });
    else await wait(50);
  }
}

/** A killed build leaves its lock behind; the process id in it shows whether the build is still running. */
function isLockAbandoned() {
  try {
    const owner = Number(readFileSync(lockPath, 'utf8'));
    if (owner > 0) process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const begin = performance.now();
  mkdirSync(dist, { recursive: true });
  const release = await takeLock();
  try {
    await build(process.argv.length > 2 ? process.argv.slice(2) : undefined);
  } finally {
    release();
  }
  console.log(`Built in ${((performance.now() - begin) / 1000).toFixed(2)} s`);
}
