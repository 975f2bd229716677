import { spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asUser } from './isolation.js';

/**
 * Files among those that a coder may write. Each folder on the way to one may have become a link to anywhere, at any
 * moment, so root opens none of them: a process of the build's own user does, and sees no more than its coder did.
 */

const LIMIT_MS = 20_000;
const NOT_THERE = 3;

const READ = `
if [ -e "\${1%/*}" ] && [ ! -x "\${1%/*}" ]; then exit 4; fi
if [ ! -e "$1" ] && [ ! -L "$1" ]; then exit ${NOT_THERE}; fi
if [ -L "$1" ] || [ ! -f "$1" ]; then exit 4; fi
exec head -c "$2" -- "$1"
`;

const WRITE = `
umask 077
mkdir -p -- "\${1%/*}" && exec cat >"$1"
`;

const MAKE_FOLDER = 'umask 077; exec mkdir -p -- "$1"';

function run(uid: number, script: string, args: string[], input = '', largest = 1024) {
  const [file, ...before] = asUser(uid) as [string, ...string[]];
  return spawnSync(file, [...before, 'sh', '-c', script, 'sh', ...args], {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
    maxBuffer: largest + 1024,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
}

/** Undefined when nothing is there; empty when what is there is no plain file, too large, or not for this user to read. */
export function readBuildFile(uid: number | null, path: string, largest: number): string | undefined {
  if (uid === null) return readPlainFile(path, largest);
  const { status, stdout } = run(uid, READ, [path, String(largest + 1)], '', largest + 1);
  if (status === NOT_THERE) return undefined;
  return status === 0 && stdout.length <= largest ? stdout.toString() : '';
}

/** With its folder, for the build's user alone. */
export function writeBuildFile(uid: number | null, path: string, content: string): void {
  if (uid === null) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600 });
    return;
  }
  if (run(uid, WRITE, [path], content).status !== 0) throw new Error(`${path} could not be written`);
}

export function makeBuildFolder(uid: number | null, path: string): void {
  if (uid === null) mkdirSync(path, { recursive: true, mode: 0o700 });
  else if (run(uid, MAKE_FOLDER, [path]).status !== 0) throw new Error(`${path} could not be made`);
}

/** Where coder and desk are one user: no link is followed at the end, no pipe is waited for. */
function readPlainFile(path: string, largest: number): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // What is there and is no plain file is a file that cannot be read.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
  try {
    const { size } = fstatSync(file);
    if (!fstatSync(file).isFile() || size > largest) return '';
    const content = Buffer.alloc(size);
    return content.subarray(0, readSync(file, content, 0, size, 0)).toString();
  } finally {
    closeSync(file);
  }
}
