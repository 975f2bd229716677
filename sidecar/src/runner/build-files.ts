import { spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asUser } from './isolation.js';

/**
 * Access to files that a coder can write. Any folder on the path may be replaced by a link at any time, so a
 * process of the build's user opens the file instead of root.
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

/**
 * Undefined when the file does not exist; empty when it is not a regular file, too large or unreadable for
 * this user.
 */
export function readBuildFile(uid: number | null, path: string, largest: number): string | undefined {
  if (uid === null) return readPlainFile(path, largest);
  const { status, stdout } = run(uid, READ, [path, String(largest + 1)], '', largest + 1);
  if (status === NOT_THERE) return undefined;
  return status === 0 && stdout.length <= largest ? stdout.toString() : '';
}

/** Creates the file and its folder, accessible only to the build's user. */
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

/** For a shared user: does not follow a final link and does not block on a pipe. */
function readPlainFile(path: string, largest: number): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // Other errors mean that something unreadable is there.
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
