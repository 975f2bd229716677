import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { countFiles, isBuilding } from './builds.js';
import { readCredentials } from './credentials.js';
import { type DeskConfig, type DeskFiles, remove, writeWhole } from './desk-files.js';
import { createHealthServer } from './health-server.js';
import { type Health, isProof, NONCE_HEADER, PROOF_HEADER, proofKey, SIDECAR_VERSION } from './protocol.js';
import { installMissingRuntime } from './runtime.js';
import { ServiceClient } from './service-client.js';
import { parseOrder, Updater } from './updater.js';

const HEARTBEAT_CHECK_MS = 60_000;
/** The service's own checks are contact enough; the desk speaks up only when they stay away. */
const SILENCE_MS = 5 * 60_000;
const RUNTIME_RETRY_MS = 60 * 60_000;
const LONGEST_PAUSE_MS = 60_000;
const PORTS_TO_TRY = 20;

/** The program that stands for a desk: it answers health checks, reports in, and updates itself. */
export class Sidecar {
  readonly #server: Server;
  readonly #client: ServiceClient;
  readonly #updater: Updater;
  readonly #timers: NodeJS.Timeout[] = [];
  #lastContact = 0;
  #registered = false;
  #stopping = false;

  constructor(
    private readonly files: DeskFiles,
    private readonly config: DeskConfig,
    private readonly codeDigest: string,
    private readonly exit: (code: number) => void,
  ) {
    this.#client = new ServiceClient(config);
    this.#updater = new Updater(files, codeDigest, () => this.#leave());
    this.#server = createHealthServer({
      key: proofKey(config.pat),
      readHealth: () => this.readHealth(),
      acceptUpdate: (body) => this.#acceptUpdate(body),
      onContact: () => {
        this.#lastContact = Date.now();
      },
    });
  }

  readHealth(): Health {
    const failure = this.#updater.lastFailure();
    return {
      env_id: this.config.env_id,
      installation_id: this.config.installation_id,
      version: SIDECAR_VERSION,
      code_digest: this.codeDigest,
      building: isBuilding(this.files.builds),
      credentials: readCredentials(this.config.home, new Date()),
      pending_sync_count: countFiles(this.files.pendingSync),
      ...(failure && { update_failure: failure }),
    };
  }

  async start(): Promise<void> {
    await this.#listen();
    await this.#proveOwnHealth();
    remove(this.files.trial);
    writeWhole(this.files.url, this.url);
    void this.#register();
    this.#every(HEARTBEAT_CHECK_MS, () => this.#speakUpAfterSilence());
    this.#every(RUNTIME_RETRY_MS, () => installMissingRuntime(this.config.runtime, this.files.runtimePrefix));
  }

  get url(): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** The usual port, or the next one that is free: another desk's sidecar may share the machine. */
  async #listen(): Promise<void> {
    const { listen_host: host, listen_port: first } = this.config;
    for (let port = first; ; port += 1) {
      try {
        await new Promise<void>((resolve, reject) => {
          this.#server.once('error', reject);
          this.#server.listen(port, host, () => {
            this.#server.off('error', reject);
            resolve();
          });
        });
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= first + PORTS_TO_TRY)
          throw error;
      }
    }
  }

  /** A release that cannot answer for itself has not come up, and the launcher goes back to the one before. */
  async #proveOwnHealth(): Promise<void> {
    const nonce = '0'.repeat(32);
    const response = await fetch(`${this.url}/health`, {
      headers: { [NONCE_HEADER]: nonce },
      signal: AbortSignal.timeout(5_000),
    });
    await response.arrayBuffer();
    if (!isProof(response.headers.get(PROOF_HEADER), proofKey(this.config.pat), nonce))
      throw new Error('The sidecar does not answer for itself');
    this.#lastContact = 0;
  }

  /** Until the service has taken it: a desk that starts before its network is up must not stay unknown. */
  async #register(): Promise<void> {
    for (let pause = 1_000; !this.#stopping; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const status = await this.#client.registerSidecar({
        sidecar_url: this.url,
        version: SIDECAR_VERSION,
        code_digest: this.codeDigest,
      });
      if (status === 200) {
        this.#registered = true;
        return;
      }
      console.error(`Registering with ${this.config.url} was answered with ${status || 'nothing'}`);
      await new Promise((resolve) => setTimeout(resolve, pause).unref());
    }
  }

  async #speakUpAfterSilence(): Promise<void> {
    if (!this.#registered || Date.now() - this.#lastContact < SILENCE_MS) return;
    const status = await this.#client.sendHeartbeat();
    if (status === 200) this.#lastContact = Date.now();
    else if (status === 401)
      console.error(
        'The service no longer knows this desk: run its installer again, or guildhall-sidecar uninstall',
      );
  }

  #acceptUpdate(body: string): number {
    const order = parseOrder(body);
    if (!order) return 422;
    if (this.#updater.busy || isBuilding(this.files.builds)) return 409;
    setImmediate(() => void this.#updater.update(order));
    return 202;
  }

  #every(milliseconds: number, work: () => unknown): void {
    this.#timers.push(setInterval(() => void work(), milliseconds));
  }

  #leave(): void {
    void this.stop().then(() => this.exit(0));
  }
}
