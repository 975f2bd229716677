import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DeskFiles, readIfThere, remove, writeWhole } from './desk-files.js';
import { sha256, type UpdateFailure, type UpdateOrder } from './protocol.js';

interface UpdaterOptions {
  files: DeskFiles;
  runningDigest: string;
  /** Exits this process; the launcher starts the current release. */
  restart(): void;
}

const DOWNLOAD_TIMEOUT_MS = 60_000;
const CHECK_TIMEOUT_MS = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;

export function createUpdater({ files, runningDigest, restart }: UpdaterOptions) {
  let running = false;

  function storeRelease(order: UpdateOrder, bundle: Uint8Array): string {
    const release = `${order.version}-${order.code_digest.slice(0, 12)}`;
    mkdirSync(join(files.releases, release), { recursive: true });
    writeWhole(join(files.releases, release, 'sidecar.mjs'), bundle);
    return release;
  }

  function switchTo(release: string, order: UpdateOrder): void {
    const old = readIfThere(files.current)?.trim();
    if (old) writeWhole(files.previous, `${old}\n`);
    writeWhole(files.trial, `${order.code_digest}\n`);
    writeWhole(files.current, `${release}\n`);
  }

  async function change(order: UpdateOrder): Promise<void> {
    if (order.code_digest === runningDigest) return;
    const release = storeRelease(order, await download(order));
    await tryRelease(join(files.releases, release, 'sidecar.mjs'));
    switchTo(release, order);
    restart();
  }

  return {
    busy: (): boolean => running,

    lastFailure(): UpdateFailure | undefined {
      const content = readIfThere(files.updateFailure);
      if (content === undefined) return undefined;
      try {
        return JSON.parse(content) as UpdateFailure;
      } catch {
        return undefined;
      }
    },

    async update(order: UpdateOrder): Promise<void> {
      if (running) return;
      running = true;
      remove(files.updateFailure);
      try {
        await change(order);
      } catch (error) {
        const failure: UpdateFailure = { code_digest: order.code_digest, error: (error as Error).message };
        writeWhole(files.updateFailure, JSON.stringify(failure));
      } finally {
        running = false;
      }
    },
  };
}

/** Keeps the running and the previous release and deletes only release folders. */
export function forgetReleases(files: DeskFiles): void {
  const kept = [files.current, files.previous].map((file) => readIfThere(file)?.trim());
  // The running release is unknown, so delete nothing.
  if (!kept[0]) return;
  for (const entry of readdirSync(files.releases, { withFileTypes: true })) {
    const isRelease = entry.isDirectory() && /^[0-9A-Za-z.+-]+-[0-9a-f]{12}$/.test(entry.name);
    if (isRelease && !kept.includes(entry.name)) remove(join(files.releases, entry.name));
  }
}

async function download(order: UpdateOrder): Promise<Uint8Array> {
  const response = await fetch(order.url, {
    redirect: 'error',
    signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The download was answered with ${response.status}`);
  if (Number(response.headers.get('content-length') ?? 0) > MOST_BYTES)
    throw new Error('The download is too large');
  const bundle = new Uint8Array(await response.arrayBuffer());
  if (bundle.byteLength > MOST_BYTES) throw new Error('The download is too large');
  if (sha256(bundle) !== order.code_digest) throw new Error('The download does not have the promised digest');
  return bundle;
}

/** The new release must load and read this desk's files before the switch. */
function tryRelease(bundle: string): Promise<void> {
  const child = spawn(process.execPath, [bundle, 'check'], {
    stdio: 'ignore',
    timeout: CHECK_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error('The new release does not start on this machine')),
    );
  });
}

export function parseOrder(body: string): UpdateOrder | undefined {
  try {
    const order = JSON.parse(body) as Partial<UpdateOrder>;
    const complete =
      typeof order.version === 'string' &&
      /^[0-9A-Za-z.+-]{1,64}$/.test(order.version) &&
      typeof order.url === 'string' &&
      /^https?:\/\//.test(order.url) &&
      typeof order.code_digest === 'string' &&
      /^[0-9a-f]{64}$/.test(order.code_digest) &&
      Number.isSafeInteger(order.sequence);
    return complete ? (order as UpdateOrder) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Remembers the last accepted order. A new token resets it, because orders signed with the old token are
 * invalid.
 */
export function createOrderBook(files: Pick<DeskFiles, 'updateSequence'>, key: string) {
  const mark = sha256(key);

  function lastTaken(): number {
    const [sequence, of] = (readIfThere(files.updateSequence) ?? '').trim().split(' ');
    return of === mark ? Number(sequence) : 0;
  }

  return {
    isNew: (order: UpdateOrder): boolean => order.sequence > lastTaken(),
    take: (order: UpdateOrder): void =>
      writeWhole(files.updateSequence, `${order.sequence} ${mark}\n`, 0o600),
  };
}
