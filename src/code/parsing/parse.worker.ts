import { parentPort } from 'node:worker_threads';
import { extractFacts } from './extract.js';
import type { ParseAnswers, ParseQuestion } from './parser-pool.js';

parentPort!.on('message', async (questions: ParseQuestion[]) => {
  const answers: ParseAnswers = [];
  for (const { path, language, bytes } of questions)
    answers.push(JSON.stringify(await extractFacts(path, language, bytes)));
  parentPort!.postMessage(answers);
});
