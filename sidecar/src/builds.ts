import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, remove, writeWhole } from './desk-files.js';
import { identify, isProcess, type ProcessIdentity } from './runner/process-tree.js';

/** A build is a file that names its process; a build whose process died no longer counts. */
export function isBuilding(folder: string): boolean {
  return listFiles(folder).some((name) => {
    if (isAlive(readIfThere(join(folder, name)) ?? '')) return true;
    remove(join(folder, name));
    return false;
  });
}

export const countFiles = (folder: string): number => listFiles(folder).length;

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.') && !name.endsWith('.new'));
  } catch {
    return [];
  }
}

/** Includes the start of the process: after a reboot, another process may have the same id. */
export const markOf = ({ pid, began }: ProcessIdentity): string => (began ? `${pid} ${began}` : String(pid));

/** Older releases wrote only the process id. */
function isAlive(mark: string): boolean {
  const [pid, began] = mark.split(' ');
  return isProcess({ pid: Number(pid), began: began ?? null });
}

/**
 * Runs a command as a build of this desk, which holds back updates until it has finished, and returns its
 * exit code.
 */
export function runBuild(folder: string, command: string[]): Promise<number> {
  const [program, ...args] = command;
  if (!program) throw new Error('Usage: guildhall-sidecar build -- <command> [arguments]');
  mkdirSync(folder, { recursive: true });
  const marker = join(folder, String(process.pid));
  writeWhole(marker, markOf(identify(process.pid)));
  const child = spawn(program, args, { stdio: 'inherit' });
  return new Promise((resolve) => {
    const end = (code: number) => {
      remove(marker);
      resolve(code);
    };
    child.on('error', () => end(127));
    child.on('exit', (code, signal) => end(code ?? (signal ? 128 : 1)));
  });
}
