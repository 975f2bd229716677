import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A bare repository that has what another one has, and keeps apart what comes new. Laid out by hand: starting git costs more. */
export async function createBorrowingRepository(repository: string, lender: string): Promise<void> {
  await mkdir(join(repository, 'objects', 'info'), { recursive: true });
  await mkdir(join(repository, 'refs'));
  await writeFile(join(repository, 'objects', 'info', 'alternates'), `${join(lender, 'objects')}\n`);
  await writeFile(join(repository, 'HEAD'), 'ref: refs/heads/main\n');
}

/** The index comes last: a pack is there for git when its index is. */
const PARTS_OF_PACK = ['.pack', '.rev', '.idx'];

/** The files of the packs that came new, in the order in which they may be taken over. */
export async function listNewPacks(repository: string): Promise<string[]> {
  const names = await listNames(join(repository, 'objects', 'pack'));
  return PARTS_OF_PACK.flatMap((ending) => names.filter((name) => name.endsWith(ending)));
}

/** Takes over what a borrower holds beside the lender's. An object that is there already is the same. */
export async function moveObjects(repository: string, lender: string): Promise<void> {
  const folders = (await listNames(join(repository, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) await takeOver(folder, await listNames(join(repository, 'objects', folder)));
  await takeOver('pack', await listNewPacks(repository));

  async function takeOver(folder: string, names: readonly string[]): Promise<void> {
    const [from, to] = [repository, lender].map((place) => join(place, 'objects', folder)) as [
      string,
      string,
    ];
    await mkdir(to, { recursive: true });
    for (const name of names)
      if (!(await exists(join(to, name)))) await rename(join(from, name), join(to, name));
  }
}

const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
