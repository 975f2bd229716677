import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ForgeService } from '../../features/forges/forges.service.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { randomSecret } from '../../kernel/secrets.js';
import { replaceFile } from '../../platform/files/atomic-file.js';
import type { SimulatedForge } from './simulated-forge.js';

interface DemoHostOptions {
  folder: string;
  /** Address of the service for webhooks. */
  baseUrl: string;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

/** Saved so that the host restarts unchanged. */
interface Kept {
  port: number;
  token: string;
  projectId: string;
  /** Path of the repository on this machine. */
  path: string;
  hookSecret: string | null;
}

export type DemoHost = ReturnType<typeof createDemoHost>;

/** The name makes clear that this is not a real host. */
const DEMO_REPOSITORY = 'simulated-host/lighthouse';
/** Start with every push and pass after a few seconds, so that the card's status changes visibly. */
const OWN_CHECKS = { names: ['tests'], seconds: 3 };

/** The demo's repository host: it speaks GitHub's protocol on loopback and needs no account. */
export function createDemoHost({ folder, baseUrl, clock, log }: DemoHostOptions) {
  const file = join(folder, 'demo-host.json');
  let host: SimulatedForge | undefined;
  let kept: Kept | undefined;

  async function keep(now: Kept): Promise<void> {
    kept = now;
    await mkdir(folder, { recursive: true });
    await replaceFile(file, JSON.stringify(now), { mode: 0o600 });
  }

  const hookOf = ({ projectId, hookSecret }: Kept) =>
    hookSecret === null
      ? undefined
      : { url: `${baseUrl.replace(/\/+$/, '')}/api/v1/hooks/${projectId}`, secret: hookSecret };

  /** Imported only for a demo, because other installations do not use it. */
  async function open(wanted: Kept): Promise<SimulatedForge> {
    const { startSimulatedForge } = await import('./simulated-forge.js');
    const hook = hookOf(wanted);
    host = await startSimulatedForge({
      port: wanted.port,
      token: wanted.token,
      repositories: [{ name: DEMO_REPOSITORY, path: wanted.path, defaultBranch: 'main' }],
      folder,
      ownChecks: OWN_CHECKS,
      clock,
      ...(hook && { hook }),
    });
    return host;
  }

  return {
    /** Loopback origins that the service may call for this host. */
    origins: (): string[] => (host ? [host.origin] : []),

    async start(): Promise<void> {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (host || text === undefined) return;
      try {
        kept = JSON.parse(text) as Kept;
        await open(kept);
      } catch (error) {
        log.warn({ err: error }, 'The simulated host of the demo world could not come back');
      }
    },

    /** Creates a host for the project's repository and saves its settings for restarts. */
    async make(projectId: string, path: string) {
      const wanted = { port: 0, token: randomSecret(), projectId, path, hookSecret: null };
      const { origin, apiUrl } = await open(wanted);
      await keep({ ...wanted, port: Number(new URL(origin).port) });
      return { apiUrl, token: wanted.token, webUrl: `${origin}/${DEMO_REPOSITORY}` };
    },

    /** Sends webhooks signed with this secret from now on. */
    async setWebhookSecret(secret: string): Promise<void> {
      if (!kept || !host) return;
      await keep({ ...kept, hookSecret: secret });
      host.setHook(hookOf(kept));
    },

    async stop(): Promise<void> {
      const open = host;
      host = undefined;
      await open?.close();
    },
  };
}

export interface HostDemo {
  webUrl: string;
}

interface DemoDeps {
  forges: Pick<ForgeService, 'connections'>;
  /** Undefined where demos are not allowed. */
  demoHost: DemoHost | undefined;
}

/** Connects the demo project to its own host, so that the first build can be merged without any account. */
export async function seedForgeDemo(
  { forges, demoHost }: DemoDeps,
  admin: MemberCaller,
  { projectId, repository }: { projectId: string; repository: string },
): Promise<HostDemo | undefined> {
  if (!demoHost) return undefined;
  const { connections } = forges;
  const { apiUrl, token, webUrl } = await demoHost.make(projectId, repository);
  const address = { kind: 'github', api_url: apiUrl, repository: DEMO_REPOSITORY, token } as const;
  await connections.connect(admin, projectId, address);
  const { secret } = await connections.renewHookSecret(admin, projectId);
  await demoHost.setWebhookSecret(secret);
  return { webUrl };
}
