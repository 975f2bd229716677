import { execFile, spawn } from 'node:child_process';
import { broken } from './failure.js';

const MOST_OUTPUT = 64 * 1024 * 1024;
/** Set by git when it runs hooks; if passed on, our git calls would use another repository. */
const LEADING = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_PREFIX'];

const environment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !LEADING.includes(name)));

/**
 * Runs the user's git with their settings and credentials. A failure carries the first line of its message.
 */
export function git(folder: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: environment(), signal, maxBuffer: MOST_OUTPUT };
    execFile('git', args, options, (error, stdout, stderr) => {
      if (!error) resolve(stdout.replace(/\n$/, ''));
      else if (signal.aborted) reject(signal.reason);
      else reject(broken(`git ${args[0]} failed: ${firstLine(stderr) || error.message}`));
    });
  });
}

/** Undefined if git fails. */
export const askGit = (folder: string, args: readonly string[], signal: AbortSignal) =>
  git(folder, args, signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });

/** Searches git's output in chunks, so that large output does not fill the memory. */
export async function findInOutput(
  folder: string,
  args: readonly string[],
  texts: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const child = spawn('git', args, {
    cwd: folder,
    env: environment(),
    signal,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const longest = Math.max(0, ...texts.map((text) => text.length));
  let rest = '';
  for await (const chunk of child.stdout.setEncoding('latin1')) {
    const text = rest + chunk;
    if (texts.some((each) => text.includes(each))) {
      child.kill();
      return true;
    }
    rest = text.slice(-longest);
  }
  if ((await ended) !== 0) throw broken(`git ${args[0]} failed`);
  return false;
}

const firstLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^(fatal|error): /, '').trim())
    .find((line) => line !== '') ?? '';
