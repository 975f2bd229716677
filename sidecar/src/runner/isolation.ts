import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Isolation } from '../protocol.js';
import { isBuildUser } from './user-ledger.js';

const MOST_PROCESSES = 4096;

let probed: Isolation | undefined;

/** Detects the strongest isolation that this machine supports and caches the result. */
export function probeIsolation(wanted?: 'none'): Isolation {
  if (wanted === 'none' || process.getuid?.() !== 0 || process.platform !== 'linux') return 'none';
  if (probed) return probed;
  const { status, error } = spawnSync('unshare', [...UNSHARE, 'sh', '-c', 'mount -t tmpfs none /mnt'], {
    stdio: 'ignore',
    timeout: 10_000,
  });
  const found: Isolation = status === 0 ? 'namespace' : 'user';
  // Try again later when the machine was too busy to answer.
  if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ETIMEDOUT') probed = found;
  return found;
}

/** The first program that every build needs and this desk lacks. */
export function findMissingProgram(isolation: Isolation): string | undefined {
  const needed = isolation === 'none' ? ['git'] : ['git', 'setpriv', 'prlimit'];
  return needed.find((program) => !isInPath(program));
}

/** Searches the PATH instead of running the program, which can take too long on a busy machine. */
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
 * Runs as root inside the new namespaces before the coder starts: hides the desk's settings, mounts separate
 * temporary folders, and stays the first process, so that its exit ends all others.
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
  /** Null when a build runs as the sidecar's own user. */
  uid: number | null;
  settings: string;
  /** A folder that contains only a mount point for the coder's executable. */
  veil: string;
  /** The coder's executable in the settings folder; empty when it is elsewhere. */
  coder: string;
  /** Mounted as `/tmp`; empty when the desk's own files are below `/tmp`. */
  tmp: string;
  passwd: string;
}

export interface CellCommand {
  command: string[];
  folder: string;
  environment: Record<string, string>;
}

/** Starts a program in the build's cell in its own process group, with three pipes. */
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
