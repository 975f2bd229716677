import { parentPort } from 'node:worker_threads';
import { extractFacts } from './extract.js';
import type { ParseRequest, ParseResults } from './parser-pool.js';

parentPort!.on('message', async (requests: ParseRequest[]) => {
  const results: ParseResults = [];
  for (const { path, language, bytes } of requests)
    results.push(JSON.stringify(await extractFacts(path, language, bytes)));
  parentPort!.postMessage(results);
});
