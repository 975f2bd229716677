import { createInterface } from 'node:readline';
import { cancelled, misuse, signedOut } from './failure.js';
import { cleanLine } from './output/clean.js';

export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks on stderr, so that stdout can be piped. */
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
    // Hides secrets as they are typed, by printing nothing after the question.
    if (hidden) Object.assign(lines, { _writeToOutput: () => {} });
  });
}

/** Asks before an action that cannot be undone. A script without a terminal is not asked. */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes || !canAsk()) return;
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw cancelled();
}

/** Asks before a deletion. A script without a terminal must pass --yes. */
export async function confirmDeletion(question: string, yes: boolean): Promise<void> {
  if (!yes && !canAsk())
    throw misuse(`${question} Confirmation needs a terminal`, 'Pass --yes to confirm. Nothing was changed.');
  await confirm(question, yes);
}

/** Shows an address that only guildhall.json names and asks; no flag can answer in advance. */
export async function confirmStranger(url: string, question: string, hint: string): Promise<void> {
  const sentence = `guildhall.json points to ${url}, and you are not signed in there`;
  if (!canAsk()) throw signedOut(sentence, hint);
  const answer = await ask(`${sentence}. ${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw cancelled();
}
