import { parentPort } from 'node:worker_threads';
import { extractFacts } from './extract.js';
import type { ParseAnswer, ParseQuestion } from './parser-pool.js';

parentPort!.on('message', async ({ id, path, language, bytes }: ParseQuestion) => {
  const facts = await extractFacts(path, language, bytes);
  parentPort!.postMessage({ id, facts: JSON.stringify(facts) } satisfies ParseAnswer);
});
