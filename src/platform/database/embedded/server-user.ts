import { spawn } from 'node:child_process';
import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The account that the database server runs as; undefined means: the one of this program. */
export interface ServerUser {
  uid: number;
  gid: number;
}

const NOBODY: ServerUser = { uid: 65534, gid: 65534 };

export const runsAsRoot = (): boolean => process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. Data that is there already is served by its owner. */
export function chooseServerUser(dataFolder: string): ServerUser | undefined {
  if (!runsAsRoot()) return undefined;
  const present = statSync(dataFolder, { throwIfNoEntry: false });
  return present && present.uid !== 0 ? { uid: present.uid, gid: present.gid } : NOBODY;
}

/** Whether the account may pass through `folder` and everything above it. */
export function canEnter(folder: string, user: ServerUser | undefined): boolean {
  if (!user) return true;
  for (let path = folder; ; path = dirname(path)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && !hasEntryBit(stats, user)) return false;
    if (path === dirname(path)) return true;
  }
}

function hasEntryBit(stats: Stats, user: ServerUser): boolean {
  if (stats.uid === user.uid) return (stats.mode & 0o100) !== 0;
  if (stats.gid === user.gid) return (stats.mode & 0o010) !== 0;
  return (stats.mode & 0o001) !== 0;
}

interface CommandResult {
  status: number | null;
  output: string;
}

/** Runs a program of the database server as its account, with nothing of this program's environment. */
export function runAsServer(
  command: string,
  args: string[],
  { user, folder }: { user: ServerUser | undefined; folder: string },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...user,
      cwd: folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (part: string) => {
      output += part;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output: output.trim() }));
  });
}
