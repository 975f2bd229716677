import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeskFiles } from '../desk-files.js';
import type { BuildFolder } from '../spool/build-folder.js';
import type { Cell } from './isolation.js';
import { probeIsolation } from './isolation.js';

interface CellParts {
  files: DeskFiles;
  folder: BuildFolder;
  executable: string;
  wanted?: 'none';
}

export function makeCell({ files, folder, executable, wanted }: CellParts): Cell {
  const isolation = probeIsolation(wanted);
  const uid = folder.uid();
  // Without a user id everything would run as root, including code that the coder left in its repository.
  if (isolation !== 'none' && uid === null) throw new Error('it is no longer known whose the build is');
  const isOwners = executable === files.coder;
  mkdirSync(folder.veil, { recursive: true });
  chmodSync(folder.veil, 0o755);
  if (isOwners) writeFileSync(join(folder.veil, 'coder'), '');
  if (uid !== null) writePasswd(folder, uid);
  return {
    isolation,
    uid,
    settings: files.settings,
    veil: folder.veil,
    coder: isOwners ? executable : '',
    tmp: isUnderTemporary([files.state, files.settings, executable, process.execPath]) ? '' : folder.tmp,
    passwd: folder.passwd,
  };
}

/** Many programs need a user name and fail with only a number. */
function writePasswd(folder: BuildFolder, uid: number): void {
  const known = readFileSync('/etc/passwd', 'utf8').replace(/\n?$/, '\n');
  writeFileSync(folder.passwd, `${known}guildhall-build:x:${uid}:${uid}::${folder.home}:/bin/sh\n`, {
    mode: 0o644,
  });
}

const isUnderTemporary = (paths: string[]): boolean =>
  paths.some((path) => path.startsWith('/tmp/') || path.startsWith('/var/tmp/'));

/**
 * Only root can enter the settings folder. Without a namespace to mount over it, the coder gets a copy of its
 * program.
 */
export function placeExecutable(cell: Cell, folder: BuildFolder, executable: string): string {
  if (cell.isolation !== 'user' || cell.coder === '') return executable;
  const copy = join(folder.area, 'coder');
  copyFileSync(executable, copy);
  chmodSync(copy, 0o755);
  return copy;
}
