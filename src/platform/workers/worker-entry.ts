import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a worker thread from the TypeScript sources (through the loader) or from the build. `name` is
 * relative to `askingModule`, without an extension: `./index.worker`.
 */
export function startWorker(
  askingModule: string,
  name: string,
  {
    packages,
    ...options
  }: WorkerOptions & {
    /** Large packages that the worker uses. Importing them without the loader is much faster. */
    packages?: readonly string[];
  } = {},
): Worker {
  return new Worker(workerUrl(askingModule, name, packages), { execArgv: [], ...options });
}

/** Starts a process with an empty environment, because it needs no secrets. */
export function startProcess(askingModule: string, name: string): ChildProcess {
  const fromSources = askingModule.endsWith('.ts');
  const file = fileURLToPath(new URL(`${name}.${fromSources ? 'ts' : 'js'}`, askingModule));
  return fork(file, [], {
    env: {},
    execArgv: fromSources ? ['--import', loaderUrl(askingModule, './dist/loader.mjs')] : [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function workerUrl(askingModule: string, name: string, packages: readonly string[] = []): URL {
  if (!askingModule.endsWith('.ts')) return new URL(`${name}.js`, askingModule);
  return throughLoader(askingModule, new URL(`${name}.ts`, askingModule), packages);
}

function throughLoader(askingModule: string, source: URL, packages: readonly string[]): URL {
  const first = new URL('./from-sources.mjs', import.meta.url);
  first.searchParams.set('loader', loaderUrl(askingModule, './dist/esm/api/index.mjs'));
  first.searchParams.set('source', source.href);
  for (const name of packages) first.searchParams.append('package', name);
  // A worker loses the query string of its own address.
  return new URL(
    `data:text/javascript,${encodeURIComponent(`await import(${JSON.stringify(first.href)});`)}`,
  );
}

const loaderUrl = (askingModule: string, file: string): string =>
  new URL(file, pathToFileURL(createRequire(fileURLToPath(askingModule)).resolve('tsx/package.json'))).href;
