import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../kernel/log.js';
import type { SidecarRelease } from './sidecar-release.js';

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

/** The real desk of the demo world: the sidecar that machines get, run by the service on loopback. */
export class DemoDesk {
  #sidecar: ChildProcess | undefined;

  constructor(private readonly options: DemoDeskOptions) {}

  get #settingsPath(): string {
    return join(this.options.folder, 'etc/guildhall/desk.json');
  }

  async furnish(settings: DemoDeskSettings): Promise<void> {
    const { folder } = this.options;
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
    };
    await writeFile(this.#settingsPath, JSON.stringify(config, null, 2), { mode: 0o600 });
    await this.start();
  }

  /** Does nothing where there is no demo desk. The sidecar ends with the service: its input is a pipe from here. */
  async start(): Promise<void> {
    if (this.#sidecar || !existsSync(this.#settingsPath)) return;
    const { version, codeDigest, bundle } = await this.options.loadRelease();
    const release = join(
      this.options.folder,
      'opt/guildhall/sidecar',
      `${version}-${codeDigest.slice(0, 12)}`,
    );
    await mkdir(release, { recursive: true });
    await writeFile(join(release, 'sidecar.mjs'), bundle);
    const child = spawn(process.execPath, [join(release, 'sidecar.mjs'), 'serve', '--with-parent'], {
      env: { GUILDHALL_ROOT: this.options.folder },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', (error) => this.options.log.warn({ err: error }, 'The demo desk could not be started'));
    child.stdin?.on('error', () => {});
    child.unref();
    (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
    this.#sidecar = child;
  }

  stop(): void {
    this.#sidecar?.kill('SIGTERM');
    this.#sidecar = undefined;
  }
}
