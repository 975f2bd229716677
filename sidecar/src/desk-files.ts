import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Written by the installer, readable by root only. */
export interface DeskConfig {
  env_id: string;
  pat: string;
  url: string;
  runtime: string;
  installation_id: string;
  listen_host: string;
  listen_port: number;
  workspace_path: string;
  /** Whose logins are looked at. */
  home: string;
}

/** Where everything on a desk lives; a test gives each desk a tree of its own. */
export class DeskFiles {
  constructor(readonly root = process.env['GUILDHALL_ROOT'] ?? '') {}

  get config() {
    return join(this.root, '/etc/guildhall/desk.json');
  }
  get releases() {
    return join(this.root, '/opt/guildhall/sidecar');
  }
  /** Holds the name of the release folder that runs. */
  get current() {
    return join(this.releases, 'current');
  }
  get previous() {
    return join(this.releases, 'previous');
  }
  /** Exists while a new release has yet to show that it comes up; the launcher goes back when it stays. */
  get trial() {
    return join(this.releases, 'trial');
  }
  get updateFailure() {
    return join(this.releases, 'update-failure.json');
  }
  /** Where this desk answers; the installer waits for it. */
  get url() {
    return join(this.releases, 'url');
  }
  get builds() {
    return join(this.root, '/var/lib/guildhall/builds');
  }
  get pendingSync() {
    return join(this.root, '/var/lib/guildhall/pending-sync');
  }
  get runtimePrefix() {
    return join(this.root, '/opt/guildhall/runtime');
  }

  readConfig(): DeskConfig {
    return JSON.parse(readFileSync(this.config, 'utf8')) as DeskConfig;
  }

  writeConfig(config: DeskConfig): void {
    writeWhole(this.config, `${JSON.stringify(config, null, 2)}\n`, 0o600);
  }
}

/** Through a temporary file and a rename: a crash leaves the old content or the new, never half of it. */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, content, { mode });
  renameSync(temporary, path);
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export const remove = (path: string): void => rmSync(path, { force: true, recursive: true });
