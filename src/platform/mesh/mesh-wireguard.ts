import { execFile } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '../../kernel/log.js';
import { type Mesh, type MeshPeer, readMeshNetwork } from './mesh.js';

/** A WireGuard key is an X25519 key, 32 bytes in base64. */
export function newMeshKey(): string {
  const { d } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return Buffer.from(d ?? '', 'base64url').toString('base64');
}

const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

export function meshPublicKey(privateKey: string): string {
  const der = Buffer.concat([PRIVATE_KEY_PREFIX, Buffer.from(privateKey, 'base64')]);
  const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  });
  return Buffer.from(x ?? '', 'base64url').toString('base64');
}

const run = promisify(execFile);

interface WireguardOptions {
  cidr: string;
  /** `host:port` of the hub for desks. The hub listens on this port. */
  endpoint: string;
  readPrivateKey(): Promise<string>;
  log: Log;
  interfaceName?: string;
}

const KEEPALIVE_SECONDS = 25;
const COMMAND_TIMEOUT_MS = 15_000;

/** A WireGuard hub controlled with `ip` and `wg`, in the kernel or by `wireguard-go`. */
export function wireguardMesh(options: WireguardOptions): Mesh {
  const { endpoint, log, interfaceName = 'guildhall-hub' } = options;
  const network = readMeshNetwork(options.cidr);
  const port = Number(/:(\d+)$/.exec(endpoint)?.[1] ?? 51820);
  let running = false;
  let applying: Promise<void> = Promise.resolve();

  const synchronize = async (peers: MeshPeer[]) => {
    const configuration = describeHub(await options.readPrivateKey(), port, peers);
    await withSecretFile(configuration, (path) => command('wg', ['syncconf', interfaceName, path]));
  };

  return {
    network,

    async hub() {
      return {
        publicKey: meshPublicKey(await options.readPrivateKey()),
        endpoint,
        // Only the hub, because desks of different workspaces must not reach each other.
        allowedIps: `${network.hubAddress}/32`,
        keepalive: KEEPALIVE_SECONDS,
      };
    },

    async start(peers) {
      await createInterface(interfaceName, log);
      await synchronize(peers);
      await command('ip', [
        'address',
        'replace',
        `${network.hubAddress}/${network.prefixLength}`,
        'dev',
        interfaceName,
      ]);
      await command('ip', ['link', 'set', 'dev', interfaceName, 'up']);
      running = true;
      log.info({ interface: interfaceName, peers: peers.length }, 'The mesh hub is up');
    },

    /** Applies one list at a time, so that an older list cannot overwrite a newer one. */
    applyPeers(peers) {
      if (!running) return Promise.resolve();
      applying = applying.catch(() => undefined).then(() => synchronize(peers));
      return applying;
    },

    async stop() {
      if (!running) return;
      running = false;
      await applying.catch(() => undefined);
      await command('ip', ['link', 'delete', 'dev', interfaceName]).catch(() => undefined);
    },
  };
}

async function createInterface(name: string, log: Log): Promise<void> {
  const exists = await command('ip', ['link', 'show', 'dev', name]).then(
    () => true,
    () => false,
  );
  if (exists) return;
  try {
    await command('ip', ['link', 'add', 'dev', name, 'type', 'wireguard']);
  } catch {
    log.info('The kernel has no WireGuard here; wireguard-go is used');
    await command('wireguard-go', [name]);
  }
}

const describeHub = (privateKey: string, port: number, peers: MeshPeer[]): string =>
  [
    `[Interface]\nPrivateKey = ${privateKey}\nListenPort = ${port}\n`,
    ...peers.map(
      ({ publicKey, address }) => `[Peer]\nPublicKey = ${publicKey}\nAllowedIPs = ${address}/32\n`,
    ),
  ].join('');

/** The key is passed in a private file, because arguments are visible to other processes. */
async function withSecretFile<T>(content: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-mesh-'));
  try {
    const path = join(folder, 'hub.conf');
    await writeFile(path, content, { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function command(program: string, args: string[]): Promise<void> {
  try {
    await run(program, args, { timeout: COMMAND_TIMEOUT_MS });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${program} ${args[0]} failed: ${(stderr ?? message).trim().slice(0, 500)}`);
  }
}
