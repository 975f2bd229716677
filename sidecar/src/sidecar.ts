import { spawn } from 'node:child_process';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import launcher from '../installer/launcher.sh';
import { countFiles, isBuilding } from './builds.js';
import { readRefused } from './coders/logins.js';
import { readCredentials } from './credentials.js';
import { type DeskConfig, type DeskFiles, readIfThere, remove, writeWhole } from './desk-files.js';
import { createHealthServer } from './health-server.js';
import { type Health, isProof, NONCE_HEADER, PROOF_HEADER, proofKey, SIDECAR_VERSION } from './protocol.js';
import { probeIsolation } from './runner/isolation.js';
import { installMissingRuntime } from './runtime.js';
import { createOrderBook, createUpdater, forgetReleases, parseOrder } from './updater.js';
import { createDeskWork } from './work/desk-work.js';

interface SidecarOptions {
  files: DeskFiles;
  config: DeskConfig;
  codeDigest: string;
  program: string;
  exit(code: number): void;
}

const HEARTBEAT_CHECK_MS = 60_000;
/** The desk contacts the service only after the service's health checks stop. */
const SILENCE_MS = 5 * 60_000;
const RUNTIME_RETRY_MS = 60 * 60_000;
const LONGEST_PAUSE_MS = 60_000;
const PORTS_TO_TRY = 20;

export function createSidecar({ files, config, codeDigest, program, exit }: SidecarOptions) {
  const key = proofKey(config.pat);
  const client = createServiceClient(config);
  const orders = createOrderBook(files, key);
  const updater = createUpdater({
    files,
    runningDigest: codeDigest,
    restart: () => void stop().then(() => exit(0)),
  });
  const work = createDeskWork({ files, config, program, mayClaim: () => !updater.busy() && !stopping });
  const server = createHealthServer({
    key,
    readHealth,
    acceptUpdate,
    onContact: () => {
      lastContact = Date.now();
    },
  });
  const timers: NodeJS.Timeout[] = [];
  let lastContact = 0;
  let registered = false;
  let stopping = false;

  function readHealth(): Health {
    const failure = updater.lastFailure();
    return {
      env_id: config.env_id,
      installation_id: config.installation_id,
      version: SIDECAR_VERSION,
      code_digest: codeDigest,
      building: isBusy(),
      credentials: readCredentials(config.home, new Date(), readRefused(files)),
      pending_sync_count: countFiles(files.pendingSync),
      isolation: probeIsolation(config.isolation),
      ...(failure && { update_failure: failure }),
    };
  }

  /** Counts claimed builds, and builds whose process survived a restart of the sidecar. */
  const isBusy = (): boolean => isBuilding(files.builds) || work.isBuilding();

  function acceptUpdate(body: string): number {
    const order = parseOrder(body);
    if (!order) return 422;
    if (!orders.isNew(order) || updater.busy() || isBusy()) return 409;
    orders.take(order);
    setImmediate(() => void updater.update(order));
    return 202;
  }

  const url = (): string => urlOf(server);

  function stop(): Promise<void> {
    stopping = true;
    work.stop();
    for (const timer of timers) clearInterval(timer);
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  /** A release that cannot answer its own health check makes the launcher roll back. */
  async function proveOwnHealth(): Promise<void> {
    const nonce = '0'.repeat(32);
    const response = await fetch(`${url()}/health`, {
      headers: { [NONCE_HEADER]: nonce },
      signal: AbortSignal.timeout(5_000),
    });
    await response.arrayBuffer();
    if (!isProof(response.headers.get(PROOF_HEADER), key, nonce))
      throw new Error('The sidecar does not answer for itself');
    lastContact = 0;
  }

  /** Retries until the service accepts it, because the network may not be up yet. */
  async function register(): Promise<void> {
    for (let pause = 1_000; !stopping; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const status = await client.registerSidecar({
        sidecar_url: url(),
        version: SIDECAR_VERSION,
        code_digest: codeDigest,
      });
      if (status === 200) {
        registered = true;
        return;
      }
      console.error(`Registering with ${config.url} was answered with ${status || 'nothing'}`);
      await new Promise((resolve) => setTimeout(resolve, pause).unref());
    }
  }

  async function speakUpAfterSilence(): Promise<void> {
    if (!registered || Date.now() - lastContact < SILENCE_MS) return;
    const status = await client.sendHeartbeat();
    if (status === 200) lastContact = Date.now();
    else if (status === 401)
      console.error(
        'The service no longer knows this desk: run its installer again, or guildhall-sidecar uninstall',
      );
  }

  const every = (milliseconds: number, work: () => unknown) =>
    timers.push(setInterval(() => void work(), milliseconds));

  return {
    readHealth,
    url,
    stop,

    async start(): Promise<void> {
      await listen(server, config.listen_host, config.listen_port);
      await proveOwnHealth();
      remove(files.trial);
      writeWhole(files.url, url());
      void register();
      work.start();
      // Deferred: these can be slow on a busy machine, and the desk works without them.
      setImmediate(() => {
        renewLauncher(files);
        forgetReleases(files);
      });
      every(HEARTBEAT_CHECK_MS, speakUpAfterSilence);
      every(RUNTIME_RETRY_MS, () => installMissingRuntime(config.runtime, files));
    },
  };
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Uses the usual port or the next free one, because another desk's sidecar may share the machine. */
async function listen(server: Server, host: string, first: number): Promise<void> {
  for (let port = first; ; port += 1) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= first + PORTS_TO_TRY) throw error;
    }
  }
}

/**
 * An update contains only the bundle, so each release installs its own launcher: an older one may use other
 * paths. Keeps the first two lines, which name the root and belong to the machine.
 */
function renewLauncher(files: DeskFiles): void {
  const present = readIfThere(files.launcher);
  if (present === undefined) return;
  const [shebang, root] = present.split('\n');
  const wanted = `${shebang}\n${root}\n${launcher}`;
  if (present !== wanted) writeWhole(files.launcher, wanted, 0o755);
  const complain = () => console.error('The list of what belongs to this desk could not be written');
  spawn('bash', [files.launcher, 'settle'], { stdio: 'ignore' })
    .on('error', complain)
    .on('exit', (code) => code === 0 || complain());
}

const TIMEOUT_MS = 10_000;

function createServiceClient({ url, pat }: Pick<DeskConfig, 'url' | 'pat'>) {
  /** Returns the HTTP status, or 0 without an answer. */
  async function post(name: string, body: object): Promise<number> {
    try {
      const response = await fetch(`${url.replace(/\/+$/, '')}/api/v1/desk/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${pat}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }

  return {
    registerSidecar: (registration: { sidecar_url: string; version: string; code_digest: string }) =>
      post('sidecar', registration),
    sendHeartbeat: () => post('heartbeat', {}),
  };
}
