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
  /** For a desk that tries things out without root: builds run as the sidecar's own user. */
  isolation?: 'none';
  /** For a desk that shows how builds go: its wrapper alone builds, whatever programs the machine has. */
  wrapper_only?: true;
}

export type DeskFiles = ReturnType<typeof deskFiles>;

/** Where everything on a desk lives, as the launcher has it too; a test gives each desk a tree of its own. */
export function deskFiles(root = process.env['GUILDHALL_ROOT'] ?? '') {
  const settings = join(root, '/etc/guildhall');
  const releases = join(root, '/opt/guildhall/sidecar');
  const state = join(root, '/var/lib/guildhall-sidecar');
  const config = join(settings, 'desk.json');
  const runtimePrefix = join(root, '/opt/guildhall/runtime');
  return {
    config,
    settings,
    /** How many builds may run at once. */
    slots: join(settings, 'slots'),
    /** What builds on a `custom` desk. */
    coder: join(settings, 'coder'),
    /** The coders that it stands for, a name on each line; without the file all that have no program of their own here. */
    wrappedCoders: join(settings, 'coders'),
    /** `NAME=value` lines that the owner of the desk gives to every coder. */
    coderEnvironment: join(settings, 'coder.env'),
    /** `Name <address>` of the commits that this desk makes for a coder; without it the service's. */
    commitIdentity: join(settings, 'commit-identity'),
    /** The last update order that was taken; an older one is not taken again. */
    updateSequence: join(settings, 'update-sequence'),
    launcher: join(root, '/usr/local/bin/guildhall-sidecar'),
    releases,
    /** Holds the name of the release folder that runs. */
    current: join(releases, 'current'),
    previous: join(releases, 'previous'),
    /** Exists while a new release has yet to show that it comes up; the launcher goes back when it stays. */
    trial: join(releases, 'trial'),
    updateFailure: join(releases, 'update-failure.json'),
    /** Where this desk answers; the installer waits for it. */
    url: join(releases, 'url'),
    /** Names the sidecar that runs: a desk has one. */
    lock: join(releases, 'lock'),
    runtimePrefix,
    /** Why the runtime could not be installed, as part of a sentence; the installer and the sidecar both try. */
    installFailure: join(runtimePrefix, 'install-failure'),
    state,
    /** A file for each build that runs, naming its process. */
    builds: join(state, 'builds'),
    /** A folder for each build with everything that has to reach the service; for root only. */
    work: join(state, 'work'),
    /** Digests of logins that their providers refused, by runtime. */
    refusedLogins: join(state, 'work', 'refused-logins.json'),
    /** A folder for each build in which its coder lives. */
    checkouts: join(state, 'checkouts'),
    /** The same for the checks of builds, apart from everything that a coder had. */
    checkWork: join(state, 'check-work'),
    checkCheckouts: join(state, 'check-checkouts'),
    /** A repository for each code base: builds of the same one share its objects. */
    cache: join(state, 'cache'),
    pendingSync: join(state, 'pending-sync'),

    readConfig: (): DeskConfig => JSON.parse(readFileSync(config, 'utf8')) as DeskConfig,
  };
}

/** Through a temporary file and a rename: a crash leaves the old content or the new, never half of it. */
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

/** As writeWhole, and on the disk when it returns: what others go by must outlive a machine that loses its power. */
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

/** A file's content, or which names a folder holds. */
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

/** For what a coder made: paths longer than any call takes, and folders that their owner closed. */
export function removeTree(path: string): void {
  try {
    remove(path);
  } catch (error) {
    if (process.getuid?.() !== 0) spawnSync('chmod', ['-R', 'u+rwX', '--', path], { stdio: 'ignore' });
    spawnSync('rm', ['-rf', '--', path], { stdio: 'ignore' });
    if (existsSync(path)) throw error;
  }
}
