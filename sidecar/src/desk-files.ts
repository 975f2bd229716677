import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Written by the installer and readable only by root. */
export interface DeskConfig {
  env_id: string;
  pat: string;
  url: string;
  runtime: string;
  installation_id: string;
  listen_host: string;
  listen_port: number;
  workspace_path: string;
  home: string;
  /** For trial desks without root: builds run as the sidecar's own user. */
  isolation?: 'none';
  /** For demo desks: only the wrapper builds, even when coder programs are installed. */
  wrapper_only?: true;
}

export type DeskFiles = ReturnType<typeof deskFiles>;

/** All paths on a desk; keep them equal to the launcher's. Tests give each desk its own root. */
export function deskFiles(root = process.env['GUILDHALL_ROOT'] ?? '') {
  const settings = join(root, '/etc/guildhall');
  const releases = join(root, '/opt/guildhall/sidecar');
  const state = join(root, '/var/lib/guildhall-sidecar');
  const config = join(settings, 'desk.json');
  const runtimePrefix = join(root, '/opt/guildhall/runtime');
  return {
    config,
    settings,
    slots: join(settings, 'slots'),
    /** The wrapper of a `custom` desk. */
    coder: join(settings, 'coder'),
    /**
     * The coders that the wrapper runs, one name per line. Without the file, it runs all that have no program
     * of their own.
     */
    wrappedCoders: join(settings, 'coders'),
    /** One file per coder that is not built in and speaks the Agent Client Protocol. */
    furtherCoders: join(settings, 'coders.d'),
    /** Model names with their providers, by the model names that profiles use. */
    models: join(settings, 'models.json'),
    /** `NAME=value` lines that every coder gets. */
    coderEnvironment: join(settings, 'coder.env'),
    /** `Name <address>` for the commits that this desk makes; the service's identity without the file. */
    commitIdentity: join(settings, 'commit-identity'),
    /** Sequence number of the last accepted update order; older orders are rejected. */
    updateSequence: join(settings, 'update-sequence'),
    launcher: join(root, '/usr/local/bin/guildhall-sidecar'),
    releases,
    /** Name of the running release's folder. */
    current: join(releases, 'current'),
    previous: join(releases, 'previous'),
    /** Exists until a new release has proved that it starts; if it remains, the launcher rolls back. */
    trial: join(releases, 'trial'),
    updateFailure: join(releases, 'update-failure.json'),
    /** The desk's own URL; the installer waits for this file. */
    url: join(releases, 'url'),
    /** Identifies the running sidecar, because a desk has only one. */
    lock: join(releases, 'lock'),
    runtimePrefix,
    /**
     * Why installing the runtime failed, as part of a sentence. The installer and the sidecar both write it.
     */
    installFailure: join(runtimePrefix, 'install-failure'),
    state,
    /** One file per running build that names its process. */
    builds: join(state, 'builds'),
    /** One folder per build with the data for the service; readable only by root. */
    work: join(state, 'work'),
    /** Digests of logins that their providers refused, by runtime. */
    refusedLogins: join(state, 'work', 'refused-logins.json'),
    /** One folder per build for its coder. */
    checkouts: join(state, 'checkouts'),
    /** The same folders for checks, separate from everything that a coder could change. */
    checkWork: join(state, 'check-work'),
    checkCheckouts: join(state, 'check-checkouts'),
    /** One repository per code base, whose objects builds share. */
    cache: join(state, 'cache'),
    pendingSync: join(state, 'pending-sync'),

    readConfig: (): DeskConfig => JSON.parse(readFileSync(config, 'utf8')) as DeskConfig,
  };
}

/** Writes through a temporary file and a rename, so that a crash never leaves half a file. */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, content, { mode });
    renameSync(temporary, path);
  } catch (error) {
    remove(temporary);
    throw error;
  }
}

/** Like writeWhole, and also flushes to disk, for files that must survive a power failure. */
export function writeDurably(path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, content, { mode });
    syncToDisk(temporary);
    renameSync(temporary, path);
    syncToDisk(dirname(path));
  } catch (error) {
    remove(temporary);
    throw error;
  }
}

/** Flushes a file's content or a folder's list of names. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export const isLackOfRoom = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export const remove = (path: string): void => rmSync(path, { force: true, recursive: true });

/** Removes a coder's folder, including paths too long for one call and folders without permissions. */
export function removeTree(path: string): void {
  try {
    remove(path);
  } catch (error) {
    if (process.getuid?.() !== 0) spawnSync('chmod', ['-R', 'u+rwX', '--', path], { stdio: 'ignore' });
    spawnSync('rm', ['-rf', '--', path], { stdio: 'ignore' });
    if (existsSync(path)) throw error;
  }
}
