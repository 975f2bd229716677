import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Cell, startInCell } from '../runner/isolation.js';
import type { BuildFolder } from '../spool/build-folder.js';
import { GIT_ENVIRONMENT, pickComplaint } from './git.js';

const LIMIT_MS = 10 * 60_000;

/** Overrides the repository's settings so that git runs no program that they name. */
export const SAFE_GIT = `git() { command git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.safecrlf=false -c commit.gpgSign=false -c core.looseCompression=1 -c core.quotePath=false -c advice.detachedHead=false "$@"; }`;

const environment = (folder: BuildFolder): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder.home,
  TMPDIR: folder.tmp,
  ...GIT_ENVIRONMENT,
  // Set explicitly, because the coder controls the repository's own settings.
  GIT_DIR: join(folder.checkout, '.git'),
  GIT_WORK_TREE: folder.checkout,
  GUILDHALL_BUILD_ID: folder.buildId,
});

export interface CellScript {
  /** The caller must end it. */
  input: Writable;
  output: Readable;
  ended: Promise<void>;
}

/** Runs a script as the build's user: root must not read files that a coder could change. */
export function startScript(
  cell: Cell,
  folder: BuildFolder,
  script: string,
  args: string[],
  until?: AbortSignal,
): CellScript {
  const child = startInCell(cell, {
    command: ['sh', '-c', `${SAFE_GIT}\n${script}`, 'git', ...args],
    folder: folder.area,
    environment: environment(folder),
  });
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  const kill = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  };
  const limit = setTimeout(kill, LIMIT_MS);
  until?.addEventListener('abort', kill);
  if (until?.aborted) kill();
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      until?.removeEventListener('abort', kill);
      if (code === 0) resolve();
      else reject(new Error(pickComplaint(complaint) || 'git ended without a word'));
    });
  });
  ended.catch(() => {});
  child.stdin!.on('error', () => {});
  return { input: child.stdin!, output: child.stdout!, ended };
}

export async function readScript(
  cell: Cell,
  folder: BuildFolder,
  script: string,
  args: string[],
): Promise<string> {
  const { input, output, ended } = startScript(cell, folder, script, args);
  input.end();
  let text = '';
  output.on('data', (chunk) => {
    text = (text + chunk).slice(-10_000);
  });
  await ended;
  return text.trim();
}
