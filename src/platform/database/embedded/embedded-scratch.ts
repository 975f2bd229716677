import { type ChildProcess, spawn } from 'node:child_process';
import { access, chmod, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../../kernel/log.js';
import { type EmbeddedConnection, startEmbeddedPostgres } from './embedded.js';

export interface ScratchPostgres {
  connection: EmbeddedConnection;
  stop(): Promise<void>;
}

/** Stops the server and removes its folder when standard input is closed. */
const CARETAKER = `
cat >/dev/null
root=$(cat "$1/postgres.location" 2>/dev/null) || root="$1/postgres"
pid=$(head -n 1 "$root/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
  kill -QUIT "$pid" 2>/dev/null
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null
fi
rm -rf "$root" "$1" || { sleep 1; rm -rf "$root" "$1"; }
`;

const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * Returns a folder in memory if there is enough of it, because creating a database there takes a tenth of the
 * time.
 */
export async function findQuickFolder(): Promise<string> {
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    return Math.min(bavail * bsize, freemem() / 2) > ROOM_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Starts a temporary server that is stopped and removed even when this process is killed. */
export async function startScratchPostgres(log: Log, folder = tmpdir()): Promise<ScratchPostgres> {
  const dataDir = await mkdtemp(join(folder, 'guildhall-'));
  await chmod(dataDir, 0o711);
  const caretaker = spawn('sh', ['-c', CARETAKER, 'caretaker', dataDir], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  caretaker.unref();
  try {
    const server = await startEmbeddedPostgres({ dataDir, log, durable: false });
    const stop = async () => {
      // Stops the server before the caretaker does, because its supervisor would restart it.
      await server.stop();
      await dismiss(caretaker);
    };
    return { connection: server.connection, stop };
  } catch (error) {
    await dismiss(caretaker);
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}

function dismiss(caretaker: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (caretaker.exitCode !== null) return resolve();
    caretaker.ref();
    caretaker.once('exit', () => resolve());
    caretaker.stdin?.end();
  });
}
