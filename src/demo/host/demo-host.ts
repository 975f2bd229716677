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
  /** Where it keeps itself. */
  folder: string;
  /** Where the service is, which it tells what happens. */
  baseUrl: string;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

/** What it needs to come back as it was. */
interface Kept {
  port: number;
  token: string;
  projectId: string;
  /** The repository on this machine. */
  path: string;
  hookSecret: string | null;
}

export type DemoHost = ReturnType<typeof createDemoHost>;

/** Says wherever it is named that it is none of the hosts people know. */
const DEMO_REPOSITORY = 'simulated-host/lighthouse';
/** Begins with every push and passes after a moment, so that a card is seen to follow it. */
const OWN_CHECKS = { names: ['tests'], seconds: 3 };

/** The host of the demo world: it speaks as a real one does, on loopback, and nobody needs an account. */
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

  /** Loaded when there is a demo world: no other installation has a use for it. */
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
    /** Where the service may speak to it, although that is on loopback. */
    origins: (): string[] => (host ? [host.origin] : []),

    /** Does nothing where there is no demo world. */
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

    /** A new one, for the project whose repository is in the folder; it is where its settings say from now on. */
    async make(projectId: string, path: string) {
      const wanted = { port: 0, token: randomSecret(), projectId, path, hookSecret: null };
      const { origin, apiUrl } = await open(wanted);
      await keep({ ...wanted, port: Number(new URL(origin).port) });
      return { apiUrl, token: wanted.token, webUrl: `${origin}/${DEMO_REPOSITORY}` };
    },

    /** From now on it tells what happens on it, signed with the secret. */
    async tellWith(secret: string): Promise<void> {
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

/** Where people see what was accepted. */
export interface HostDemo {
  webUrl: string;
}

interface DemoDeps {
  forges: Pick<ForgeService, 'connections'>;
  /** Missing where no demo world may be. */
  demoHost: DemoHost | undefined;
}

/** The demo project on a host of its own: the first build can be followed to its merge without any account. */
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
  await demoHost.tellWith(secret);
  return { webUrl };
}
