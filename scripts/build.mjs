import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { describeSources, dist, listSources, listStaleParts, rememberBuild, root } from './build-state.mjs';

const builders = {
  server: buildServer,
  sidecar: buildSidecar,
  dashboard: buildDashboard,
  client: buildClient,
  cli: buildCommandLine,
};
const lockPath = join(dist, '.lock');
const compress = promisify(brotliCompress);

/** Builds the named parts, beside each other; without names, everything. */
export async function build(names = Object.keys(builders)) {
  await Promise.all(
    names.map(async (name) => {
      const description = describeSources(name);
      const built = await builders[name]();
      if (built) rememberBuild(name, description);
    }),
  );
  await endCompiler();
}

/** Builds what is stale, of these parts. Several programs started at once from one checkout take turns, and the first one does the work. */
export async function buildWhenStale(names = Object.keys(builders)) {
  const listStale = () => listStaleParts().filter((name) => names.includes(name));
  if (listStale().length === 0) return false;
  mkdirSync(dist, { recursive: true });
  const release = await takeLock();
  try {
    const stale = listStale();
    if (stale.length > 0) await build(stale);
    return stale.length > 0;
  } finally {
    release();
  }
}

/** The compiler stays beside us for the next question; after a build there is none. */
async function endCompiler() {
  const esbuild = await import('esbuild');
  await esbuild.stop();
}

async function buildServer() {
  const esbuild = await import('esbuild');
  const sources = listSources('src');
  const isScript = (path) => path.endsWith('.ts') && !path.endsWith('.d.ts');
  const scripts = sources.filter(isScript);
  const outdir = join(dist, 'src');
  await esbuild.build({
    entryPoints: scripts,
    outdir,
    outbase: join(root, 'src'),
    bundle: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
  const inDist = (path) => join(outdir, relative(join(root, 'src'), path));
  const expected = new Set();
  for (const path of sources) {
    if (isScript(path)) {
      const output = inDist(path).replace(/\.ts$/, '.js');
      expected.add(output).add(`${output}.map`);
    } else {
      mkdirSync(dirname(inDist(path)), { recursive: true });
      copyFileSync(path, inDist(path));
      expected.add(inDist(path));
    }
  }
  removeOthers(outdir, expected);
  // dist/ mirrors the repository, so `../package.json` means the same from src/ and from dist/src/.
  copyFileSync(join(root, 'package.json'), join(dist, 'package.json'));
  return true;
}

/** A module whose source was deleted must not live on in the build. */
function removeOthers(folder, expected) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      removeOthers(path, expected);
      if (readdirSync(path).length === 0) rmdirSync(path);
    } else if (!expected.has(path)) {
      rmSync(path);
    }
  }
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
  // A test runner says that this is a test; what is built is for people all the same.
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

/** As small as they get, once, instead of a little smaller with every request. */
/** All at once: it is most of the work, and every core of the machine can do some of it. */
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

/** The package for others: modules and types beside each other, in its own folder, where `npm pack` finds them. */
async function buildClient() {
  const folder = join(root, 'client');
  // An installation without development tools serves, and packs nothing.
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(join(folder, 'package.json')) || !existsSync(compiler)) return false;
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' });
  return true;
}

/** One file, in its own folder, where `npm pack` finds it. */
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

/** A build that was killed leaves its lock behind; its process number tells. */
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
