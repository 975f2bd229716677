import { chmod, mkdir, open, symlink, utimes } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Members, VerifiedArchive } from './archive-reader.js';
import { isApart, staysInside } from './data-files.js';
import { FILES } from './manifest.js';
import { Refusal } from './refusal.js';
import type { TarEntry } from './tar.js';

/** Writes the files of an archive below a folder that is empty; answers how many. */
export async function restoreFiles(
  { entries }: VerifiedArchive,
  members: Members,
  folder: string,
  onFile: (name: string) => void,
): Promise<number> {
  const wanted = entries.map(({ entry }) => entry).filter(({ name }) => name.startsWith(FILES));
  refuseLinksOut(wanted);
  const placeOf = (name: string) => join(folder, safePath(name.slice(FILES.length)));
  let count = 0;
  for (const { name, kind, mode, modified } of wanted) {
    const path = placeOf(name);
    if (kind === 'folder') await mkdir(path);
    if (kind !== 'file') continue;
    onFile(name.slice(FILES.length));
    const file = await open(path, 'wx', mode);
    try {
      for await (const chunk of members.read(name)) await file.writeFile(chunk);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await utimes(path, modified, modified);
    count += 1;
  }
  // Last, so that nothing is ever written through one; and a folder's own rights when nothing more goes into it.
  for (const { name, kind, target } of wanted) if (kind === 'link') await symlink(target, placeOf(name));
  for (const { name, kind, mode } of wanted.toReversed())
    if (kind === 'folder') await chmod(placeOf(name), mode);
  return count;
}

/** Before anything is written: no link leads out of the folder, and nothing lies behind a link. */
function refuseLinksOut(entries: readonly TarEntry[]): void {
  const links = new Set(entries.filter(({ kind }) => kind === 'link').map(({ name }) => name));
  for (const { name, kind, target } of entries) {
    const path = name.slice(FILES.length);
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1))
      if (links.has(name.slice(0, at)))
        throw new Refusal(`The backup holds something behind a link: ${JSON.stringify(path)}.`);
    if (kind === 'link' && !staysInside(path, target))
      throw new Refusal(
        `The backup holds a link that leads out of the data folder: ${JSON.stringify(path)}.`,
      );
  }
}

/** An archive from elsewhere may name any place; only those below the folder are written to. */
function safePath(name: string): string {
  const isInside = name !== '' && posix.normalize(`/${name}`) === `/${name}` && !name.includes('\0');
  if (!isInside || isApart(name.split('/')[0]!))
    throw new Refusal(`The backup names a file that has no place in a data folder: ${JSON.stringify(name)}.`);
  return name;
}
