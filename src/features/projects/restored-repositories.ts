import { stat } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import type pg from 'pg';
import { readRemote } from './git/remote-url.js';
import { restoredProjectStore } from './restored-repositories.store.js';

export interface LostRepository {
  project: string;
  brandId: number;
  url: string;
}

export interface RepositoryFolders {
  now: string;
  later: string;
}

const BATCH = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * A restore may move the data folder, while absolute addresses of local repositories name the old path.
 * Rewrites those, and returns the projects whose repository is missing.
 */
export async function moveRepositories(
  client: pg.ClientBase,
  folders: RepositoryFolders,
): Promise<LostRepository[]> {
  const store = restoredProjectStore(client);
  const lost: LostRepository[] = [];
  if (!(await store.exists())) return lost;
  for (let after = FIRST_ID; ; ) {
    const projects = await store.listAttached(after, BATCH);
    for (const { project_id, brand_id: brandId, name, repository_url: url } of projects) {
      if (readRemote(url)?.kind !== 'path') continue;
      const inside = await findInside(join(folders.now, String(brandId)), url, `${brandId}/`);
      if (inside === undefined) lost.push({ project: name, brandId, url });
      else if (isAbsolute(url) && plain(url) !== join(folders.later, String(brandId), inside))
        await store.readdress(project_id, `${brandId}/${inside}`);
    }
    if (projects.length < BATCH) return lost;
    after = projects.at(-1)!.project_id;
  }
}

/** The part of the address inside `home`; of an absolute address, the part after the folder of the workspace. */
async function findInside(home: string, url: string, own: string): Promise<string | undefined> {
  const path = plain(url);
  const parts = isAbsolute(path) ? path.split(`/${own}`).slice(1) : [];
  const candidates = isAbsolute(path)
    ? parts.map((_, at) => parts.slice(at).join(`/${own}`))
    : [path.startsWith(own) ? path.slice(own.length) : path];
  for (const candidate of candidates) {
    const isInside = candidate !== '' && candidate !== '..' && !candidate.startsWith('../');
    if (isInside && (await isFolder(join(home, candidate)))) return candidate;
  }
  return undefined;
}

const plain = (path: string): string => normalize(path).replace(/\/+$/, '');

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
