import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a worker thread from the sources (TypeScript, through the loader) as well as from the build (plain JavaScript
 * beside the file that asks). `name` is relative to the asking module and without an ending: `./index.worker`.
 */
export function startWorker(askingModule: string, name: string, options: WorkerOptions = {}): Worker {
  return new Worker(workerUrl(askingModule, name), { execArgv: [], ...options });
}

/** The same for a process of its own. It gets nothing of this one's environment: whatever it runs needs no secrets. */
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

function workerUrl(askingModule: string, name: string): URL {
  if (!askingModule.endsWith('.ts')) return new URL(`${name}.js`, askingModule);
  return throughLoader(askingModule, new URL(`${name}.ts`, askingModule));
}

/** Node 20 does not apply `--import` hooks to the file a thread starts with, so a first module registers them itself. */
function throughLoader(askingModule: string, source: URL): URL {
  const first = `
    import { register } from ${JSON.stringify(loaderUrl(askingModule, './dist/esm/api/index.mjs'))};
    register();
    await import(${JSON.stringify(source.href)});
  `;
  return new URL(`data:text/javascript,${encodeURIComponent(first)}`);
}

const loaderUrl = (askingModule: string, file: string): string =>
  new URL(file, pathToFileURL(createRequire(fileURLToPath(askingModule)).resolve('tsx/package.json'))).href;
