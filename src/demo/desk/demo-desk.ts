import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SidecarRelease } from '../../features/workstations/installer/sidecar-release.js';
import type { Log } from '../../kernel/log.js';
import { DEMO_CODER } from './demo-coder.js';

interface DemoDeskOptions {
  /** The file tree of the desk. */
  folder: string;
  log: Log;
  loadRelease(): Promise<SidecarRelease>;
}

export interface DemoDeskSettings {
  deskId: string;
  pat: string;
  url: string;
  workspacePath: string;
}

/** No supervisor of a machine watches over it: a sidecar that ended, whatever for, is started again. */
const RESTART_MS = 2_000;

export type DemoDesk = ReturnType<typeof createDemoDesk>;

/** The real desk of the demo world: the sidecar that machines get, run by the service on loopback. */
export function createDemoDesk({ folder, log, loadRelease }: DemoDeskOptions) {
  const settingsPath = join(folder, 'etc/guildhall/desk.json');
  let sidecar: ChildProcess | undefined;
  let restart: NodeJS.Timeout | undefined;

  /** Does nothing where there is no demo desk. The sidecar ends with the service: its input is a pipe from here. */
  async function start(): Promise<void> {
    if (sidecar || !existsSync(settingsPath)) return;
    const { version, codeDigest, bundle } = await loadRelease();
    const release = join(folder, 'opt/guildhall/sidecar', `${version}-${codeDigest.slice(0, 12)}`);
    await mkdir(release, { recursive: true });
    await writeFile(join(release, 'sidecar.mjs'), bundle);
    const child = spawn(process.execPath, [join(release, 'sidecar.mjs'), 'serve', '--with-parent'], {
      env: { GUILDHALL_ROOT: folder, PATH: '/usr/local/bin:/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', (error) => log.warn({ err: error }, 'The demo desk could not be started'));
    child.stdin?.on('error', () => {});
    child.on('exit', (code, signal) => {
      if (sidecar !== child) return;
      sidecar = undefined;
      log.warn({ code, signal }, 'The demo desk ended, and is started again');
      restart = setTimeout(() => void start(), RESTART_MS).unref();
    });
    child.unref();
    (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
    sidecar = child;
  }

  return {
    start,

    async furnish(settings: DemoDeskSettings): Promise<void> {
      await mkdir(join(folder, 'etc/guildhall'), { recursive: true });
      const config = {
        env_id: settings.deskId,
        pat: settings.pat,
        url: settings.url,
        runtime: 'custom',
        installation_id: `demo-${settings.deskId}`,
        listen_host: '127.0.0.1',
        listen_port: 0,
        workspace_path: settings.workspacePath,
        home: folder,
        // Its coder is ours, and its folder may be one that no other user can enter.
        isolation: 'none',
        wrapper_only: true,
      };
      await writeFile(join(folder, 'etc/guildhall/coder'), DEMO_CODER, { mode: 0o755 });
      await writeFile(settingsPath, JSON.stringify(config, null, 2), { mode: 0o600 });
      await start();
    },

    stop(): void {
      clearTimeout(restart);
      const child = sidecar;
      sidecar = undefined;
      child?.kill('SIGTERM');
    },
  };
}
