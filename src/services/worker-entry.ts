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

function workerUrl(askingModule: string, name: string): URL {
  if (!askingModule.endsWith('.ts')) return new URL(`${name}.js`, askingModule);
  return throughLoader(askingModule, new URL(`${name}.ts`, askingModule));
}

/** Node 20 does not apply `--import` hooks to the file a thread starts with, so a first module registers them itself. */
function throughLoader(askingModule: string, source: URL): URL {
  const tsx = pathToFileURL(createRequire(fileURLToPath(askingModule)).resolve('tsx/package.json'));
  const loader = new URL('./dist/esm/api/index.mjs', tsx).href;
  const first = `
    import { register } from ${JSON.stringify(loader)};
    register();
    await import(${JSON.stringify(source.href)});
  `;
  return new URL(`data:text/javascript,${encodeURIComponent(first)}`);
}
