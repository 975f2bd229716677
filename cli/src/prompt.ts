import { createInterface } from 'node:readline';
import { cancelled, misuse, signedOut } from './failure.js';
import { cleanLine } from './output/clean.js';

/** Whether there is somebody to ask. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asked on the error stream, so that what is piped on stays clean. */
export function ask(question: string, { hidden = false } = {}): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  return new Promise((resolve, reject) => {
    let answered = false;
    lines.question(cleanLine(question), (answer) => {
      answered = true;
      lines.close();
      if (hidden) process.stderr.write('\n');
      resolve(answer.trim());
    });
    lines.once('close', () => answered || reject(cancelled()));
    // Typed secrets are not echoed: nothing of the line is drawn after the question.
    if (hidden) Object.assign(lines, { _writeToOutput: () => {} });
  });
}

/** Asks before what cannot be undone. Who pipes has made up their mind. */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes || !canAsk()) return;
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw cancelled();
}

/** Asks before what is gone for good. Where there is nobody to ask, a script has to have said that it means it. */
export async function confirmDeletion(question: string, yes: boolean): Promise<void> {
  if (!yes && !canAsk())
    throw misuse(`${question} No terminal to ask`, 'Say --yes if you mean it; nothing was done.');
  await confirm(question, yes);
}

/** An address that only guildhall.json names is shown and asked for; no flag answers that beforehand. */
export async function confirmStranger(url: string, question: string, hint: string): Promise<void> {
  const sentence = `guildhall.json names ${url}, where you have not signed in`;
  if (!canAsk()) throw signedOut(sentence, hint);
  const answer = await ask(`${sentence}. ${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw cancelled();
}
