import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Isolation } from '../protocol.js';
import { isBuildUser } from './user-ledger.js';

const MOST_PROCESSES = 4096;

let probed: Isolation | undefined;

/** What this machine lets a build be kept apart by; asked once. */
export function probeIsolation(wanted?: 'none'): Isolation {
  if (wanted === 'none' || process.getuid?.() !== 0 || process.platform !== 'linux') return 'none';
  if (probed) return probed;
  const { status, error } = spawnSync('unshare', [...UNSHARE, 'sh', '-c', 'mount -t tmpfs none /mnt'], {
    stdio: 'ignore',
    timeout: 10_000,
  });
  const found: Isolation = status === 0 ? 'namespace' : 'user';
  // A machine that was too busy to answer is asked again.
  if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ETIMEDOUT') probed = found;
  return found;
}

/** A program this desk cannot build without, or undefined when all are there. */
export function findMissingProgram(isolation: Isolation): string | undefined {
  const needed = isolation === 'none' ? ['git'] : ['git', 'setpriv', 'prlimit'];
  return needed.find((program) => !isInPath(program));
}

/** By looking, not by running: on a busy machine that takes longer than a desk may be silent. */
const isInPath = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder || '.', program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const UNSHARE = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--'];

/**
 * Runs as root inside the new namespaces, before anything of the coder does: covers the settings of the desk, gives the
 * build folders of its own for temporary files, and stays the first process, so that its end is everybody's.
 */
const SET_UP = `
set -e
settings=$1 veil=$2 coder=$3 tmp=$4 passwd=$5
shift 5
[ -z "$coder" ] || mount --bind "$coder" "$veil/coder"
[ ! -d "$settings" ] || mount --rbind "$veil" "$settings"
if [ -n "$tmp" ]; then
  mount --bind "$tmp" /tmp
  [ ! -d /var/tmp ] || mount --bind "$tmp" /var/tmp
fi
[ ! -d /dev/shm ] || mount -t tmpfs -o mode=1777,size=25% none /dev/shm
mount --bind "$passwd" /etc/passwd
echo 500 >/proc/self/oom_score_adj 2>/dev/null || :
exec 3<&0
set +e
"$@" <&3 3<&- &
exec 3<&- </dev/null
wait $!
`;

export interface Cell {
  isolation: Isolation;
  /** Null where a build runs as the sidecar's own user. */
  uid: number | null;
  settings: string;
  /** A folder with nothing in it but a place for the coder's executable. */
  veil: string;
  /** The coder's executable among the settings; empty when it is not there. */
  coder: string;
  /** What becomes `/tmp`; empty where the desk's own files lie under it. */
  tmp: string;
  passwd: string;
}

export interface CellCommand {
  command: string[];
  folder: string;
  environment: Record<string, string>;
}

/** Starts a program in the build's cell, in a process group of its own. Its three streams are pipes. */
export function startInCell(cell: Cell, { command, folder, environment }: CellCommand): ChildProcess {
  const [file, ...args] = [...wrap(cell), ...command] as [string, ...string[]];
  return spawn(file, args, {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
}

function wrap({ isolation, uid, settings, veil, coder, tmp, passwd }: Cell): string[] {
  if (uid === null) return [];
  const own = ['prlimit', `--nproc=${MOST_PROCESSES}`, '--core=0', ...asUser(uid)];
  if (isolation !== 'namespace') return own;
  return ['unshare', ...UNSHARE, 'sh', '-c', SET_UP, 'guildhall', settings, veil, coder, tmp, passwd, ...own];
}

export function asUser(uid: number): string[] {
  if (!isBuildUser(uid)) throw new Error(`${uid} is no user of a build`);
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${uid}`,
    '--clear-groups',
    '--inh-caps=-all',
    '--bounding-set=-all',
    '--no-new-privs',
    '--',
  ];
}
