import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LONGEST_SOCKET_PATH } from './cluster.js';

export interface DataLock {
  release(): Promise<void>;
}

type Answer = 'gone' | 'leaving' | 'held' | 'candidate' | 'silent';

const SOCKET_NAME = /^[0-9a-f]{12}$/;
const MEANING_OF_ERROR: Record<string, Answer> = {
  ECONNREFUSED: 'gone',
  ENOENT: 'gone',
  ECONNRESET: 'leaving',
};
const ANSWER_TIMEOUT_MS = 1000;
const SILENT_LOOKS = 5;
const BIND_ATTEMPTS = 5;

/**
 * Claims a data folder with a Unix socket. The claim ends with its process and cannot be confused with a
 * reused process id. Every candidate opens its own socket before it looks at the others, so of two that start
 * together at least one sees the other.
 */
export async function lockDataDir(dataDir: string): Promise<DataLock> {
  await mkdir(dataDir, { recursive: true });
  const ownName = randomBytes(6).toString('hex');
  let state: 'candidate' | 'held' = 'candidate';
  const { folder, server } = await openSocket(await realpath(dataDir), ownName, () => state);
  const release = async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(join(folder, ownName), { force: true });
    await rmdir(folder).catch(() => {});
  };
  try {
    await outlastOthers(folder, ownName, dataDir);
  } catch (error) {
    await release();
    throw error;
  }
  state = 'held';
  return { release };
}

async function openSocket(dataDir: string, name: string, readState: () => string) {
  for (let attempt = 1; ; attempt += 1) {
    const folder = await openLockFolder(dataDir);
    try {
      return { folder, server: await listen(join(folder, name), readState) };
    } catch (error) {
      // Another process may remove the empty folder at this moment.
      if (existsSync(folder) || attempt === BIND_ATTEMPTS) throw error;
    }
  }
}

async function openLockFolder(dataDir: string): Promise<string> {
  const beside = join(dataDir, '.lock');
  const fits = join(beside, 'x'.repeat(12)).length <= LONGEST_SOCKET_PATH;
  const folder = fits ? beside : join('/tmp', `guildhall-lock-${hash(dataDir)}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

async function listen(path: string, readState: () => string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(readState());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  return server;
}

async function outlastOthers(folder: string, ownName: string, dataDir: string): Promise<void> {
  for (let look = 1; ; look += 1) {
    const names = (await readdir(folder)).filter((name) => SOCKET_NAME.test(name) && name !== ownName);
    const answers = await Promise.all(names.map((name) => askHolder(join(folder, name))));
    // A silent process may be stopped or only slow. Without a retry, slow candidates would all give way to
    // each other.
    const stopped = look >= SILENT_LOOKS && answers.includes('silent');
    const first = names.every((name, index) => answers[index] !== 'candidate' || ownName < name);
    if (answers.includes('held') || stopped || !first) {
      throw new Error(`Another Guildhall is already running on ${dataDir}`);
    }
    const abandoned = names.filter((_, index) => answers[index] === 'gone');
    await Promise.all(abandoned.map((name) => rm(join(folder, name), { force: true })));
    if (abandoned.length === names.length) return;
    await pause(20);
  }
}

function askHolder(path: string): Promise<Answer> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      // Timers run before I/O, so first read what arrived while this process was blocked.
      setImmediate(() => {
        resolve('silent');
        socket.destroy();
      });
    });
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.on('end', () => resolve(text === 'candidate' || text === 'held' ? text : 'leaving'));
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(MEANING_OF_ERROR[code ?? ''] ?? 'silent'),
    );
  });
}
