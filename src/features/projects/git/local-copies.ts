import { join } from 'node:path';
import { runGit } from './git-program.js';

/** A bare copy of a repository on this machine, independent of the original. */
export async function copyRepository(from: string, to: string): Promise<void> {
  await runGit(undefined, ['clone', '--quiet', '--bare', '--no-hardlinks', '--template=', '--', from, to], {
    protocols: 'file',
  });
}

/** A repository with one commit of all files in the folder. */
export async function makeRepository(folder: string, message: string): Promise<void> {
  const repository = join(folder, '.git');
  await runGit(undefined, ['init', '--quiet', '--template=', '--initial-branch=main', folder]);
  const inside = [
    `--work-tree=${folder}`,
    '-c',
    'user.name=Guildhall',
    '-c',
    'user.email=demo@guildhall.local',
  ];
  await runGit(repository, [...inside, 'add', '--all', '.']);
  await runGit(repository, [...inside, 'commit', '--quiet', '--no-verify', '-m', message]);
}
