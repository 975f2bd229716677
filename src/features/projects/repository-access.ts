import { join } from 'node:path';
import { GitError } from './git/git-program.js';
import { resolveLocalRepository } from './git/local-path.js';
import type { RemoteAddress } from './git/mirror.js';
import { isBranchName, readRemote } from './git/remote-url.js';
import { adminRequired, invalidBranch, invalidRepositoryUrl } from './projects.errors.js';

/** Which repositories a workspace may attach, and how they are reached. */
export class RepositoryAccess {
  constructor(readonly repositoriesDir: string) {}

  /** Judges what a caller wants to attach. */
  async judge(brandId: number, isAdmin: boolean, url: string, branch: string | null): Promise<void> {
    const remote = readRemote(url);
    if (!remote) throw invalidRepositoryUrl();
    if (branch !== null && !isBranchName(branch)) throw invalidBranch();
    if (remote.kind !== 'path') return;
    if (!isAdmin) throw adminRequired();
    if ((await this.#localPlace(brandId, remote.path)) === undefined) throw invalidRepositoryUrl();
  }

  /** The address to fetch from. A local path is judged again at every fetch: links may have changed since. */
  async addressOf(brandId: number, url: string, branch: string | null): Promise<RemoteAddress> {
    const remote = readRemote(url);
    if (!remote) throw new GitError('The address of the repository is not allowed', null);
    if (remote.kind !== 'path') return { url: remote.url, protocols: remote.kind, branch };
    const place = await this.#localPlace(brandId, remote.path);
    if (place === undefined)
      throw new GitError('The repository is outside the folder of this workspace', null);
    return { url: place, protocols: 'file', branch };
  }

  #localPlace(brandId: number, path: string): Promise<string | undefined> {
    return resolveLocalRepository(join(this.repositoriesDir, String(brandId)), path);
  }
}
