import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DeskFiles, readIfThere, remove, writeWhole } from './desk-files.js';
import { sha256, type UpdateFailure, type UpdateOrder } from './protocol.js';

const DOWNLOAD_TIMEOUT_MS = 60_000;
const CHECK_TIMEOUT_MS = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;

export function parseOrder(body: string): UpdateOrder | undefined {
  try {
    const order = JSON.parse(body) as Partial<UpdateOrder>;
    const complete =
      typeof order.version === 'string' &&
      /^[0-9A-Za-z.+-]{1,64}$/.test(order.version) &&
      typeof order.url === 'string' &&
      /^https?:\/\//.test(order.url) &&
      typeof order.code_digest === 'string' &&
      /^[0-9a-f]{64}$/.test(order.code_digest);
    return complete ? (order as UpdateOrder) : undefined;
  } catch {
    return undefined;
  }
}

export class Updater {
  #running = false;

  constructor(
    private readonly files: DeskFiles,
    private readonly runningDigest: string,
    /** Ends this process; the launcher starts the release that is current then. */
    private readonly restart: () => void,
  ) {}

  get busy(): boolean {
    return this.#running;
  }

  lastFailure(): UpdateFailure | undefined {
    const content = readIfThere(this.files.updateFailure);
    if (content === undefined) return undefined;
    try {
      return JSON.parse(content) as UpdateFailure;
    } catch {
      return undefined;
    }
  }

  /** Fetches, proves and tries the new release, and only then switches to it. */
  async update(order: UpdateOrder): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    remove(this.files.updateFailure);
    try {
      if (order.code_digest === this.runningDigest) return;
      const bundle = await this.#download(order);
      const release = this.#store(order, bundle);
      await this.#check(release);
      this.#switchTo(release, order);
      this.restart();
    } catch (error) {
      this.#recordFailure(order, (error as Error).message);
    } finally {
      this.#running = false;
    }
  }

  async #download(order: UpdateOrder): Promise<Uint8Array> {
    const response = await fetch(order.url, {
      redirect: 'error',
      signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`The download was answered with ${response.status}`);
    if (Number(response.headers.get('content-length') ?? 0) > MOST_BYTES)
      throw new Error('The download is too large');
    const bundle = new Uint8Array(await response.arrayBuffer());
    if (bundle.byteLength > MOST_BYTES) throw new Error('The download is too large');
    if (sha256(bundle) !== order.code_digest)
      throw new Error('The download does not have the promised digest');
    return bundle;
  }

  #store(order: UpdateOrder, bundle: Uint8Array): string {
    const release = `${order.version}-${order.code_digest.slice(0, 12)}`;
    mkdirSync(join(this.files.releases, release), { recursive: true });
    writeWhole(join(this.files.releases, release, 'sidecar.mjs'), bundle);
    return release;
  }

  /** The new release must load and read this desk's files before anything depends on it. */
  #check(release: string): Promise<void> {
    const child = spawn(process.execPath, [join(this.files.releases, release, 'sidecar.mjs'), 'check'], {
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

  #switchTo(release: string, order: UpdateOrder): void {
    const old = readIfThere(this.files.current)?.trim();
    if (old) writeWhole(this.files.previous, `${old}\n`);
    writeWhole(this.files.trial, `${order.code_digest}\n`);
    writeWhole(this.files.current, `${release}\n`);
  }

  #recordFailure(order: UpdateOrder, error: string): void {
    writeWhole(
      this.files.updateFailure,
      JSON.stringify({ code_digest: order.code_digest, error } satisfies UpdateFailure),
    );
  }
}
