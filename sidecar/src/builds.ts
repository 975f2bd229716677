import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, remove, writeWhole } from './desk-files.js';

/** A build is a file that names the process doing it; a process that died no longer counts. */
export function isBuilding(folder: string): boolean {
  return listFiles(folder).some((name) => {
    const pid = Number(readIfThere(join(folder, name)));
    if (Number.isInteger(pid) && pid > 0 && isAlive(pid)) return true;
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Runs a command as a build of this desk: updates wait until it has ended. Answers its exit code. */
export function runBuild(folder: string, command: string[]): Promise<number> {
  const [program, ...args] = command;
  if (!program) throw new Error('Usage: guildhall-sidecar build -- <command> [arguments]');
  mkdirSync(folder, { recursive: true });
  const marker = join(folder, String(process.pid));
  writeWhole(marker, String(process.pid));
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
