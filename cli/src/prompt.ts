import { createInterface } from 'node:readline';
import { cancelled } from './failure.js';
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
