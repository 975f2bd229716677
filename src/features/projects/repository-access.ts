import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { OutgoingRefused, readAddress } from '../../services/outgoing/outgoing-address.js';
import { GitError } from './git/git-program.js';
import { holdLocalRepository, resolveLocalRepository } from './git/local-path.js';
import type { OpenRemote } from './git/mirror.js';
import { hostKeyName, isBranchName, type NetworkRemote, readRemote } from './git/remote-url.js';
import { layOutSsh } from './git/ssh-line.js';
import { adminRequired, invalidBranch, invalidRepositoryUrl } from './projects.errors.js';
import type { RepositoryKeyService } from './repository-keys.service.js';

export type RepositoryAccess = ReturnType<typeof createRepositoryAccess>;

const UNREACHABLE = 'The repository is not reachable';
const UNREACHABLE_BY_SSH =
  'The repository is not reachable, or its host does not know the deploy key of this workspace';
const OTHER_HOST_KEY = 'The host of the repository shows another key than the one that was pinned';
/** A repository in which somebody is busy is read so often before a pass gives up. */
const MOST_READINGS = 4;
const NOT_ALONE = 'The repository is not wholly inside the folder of this workspace';

class ChangedMeanwhile extends GitError {
  constructor() {
    super('The repository changed while it was read', null);
  }
}

/** Which repositories a workspace may attach, and how they are reached. */
export function createRepositoryAccess({
  repositoriesDir,
  mirrorsDir,
  resolveHost,
  keys,
}: {
  repositoriesDir: string;
  mirrorsDir: string;
  /** The addresses of a host that may be dialled. */
  resolveHost(host: string): Promise<string[]>;
  keys: RepositoryKeyService;
}) {
  const localPlace = (brandId: number, path: string) =>
    resolveLocalRepository(join(repositoriesDir, String(brandId)), path);

  /** A run is pinned to the addresses that were judged: what the name means a moment later does not matter. */
  async function dial({ host }: NetworkRemote, failure: string): Promise<[string, ...string[]]> {
    try {
      const [first, ...others] = await resolveHost(host);
      return [first!, ...others];
    } catch (error) {
      if (!(error instanceof OutgoingRefused)) throw error;
      throw new GitError(failure, null, error.message);
    }
  }

  async function openHttps(remote: NetworkRemote): Promise<OpenRemote> {
    const addresses = await dial(remote, UNREACHABLE);
    const { host, port, url } = remote;
    const settings = [
      'http.followRedirects=false',
      'http.proxy=',
      'http.lowSpeedLimit=100',
      'http.lowSpeedTime=60',
    ];
    if (readAddress(host) === undefined) {
      const pinned = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
      settings.push(`http.curloptResolve=${host}:${port}:${pinned}`);
    }
    return { url, protocols: 'https', settings, failure: UNREACHABLE };
  }

  /** People work in such a repository while it is read: what they changed meanwhile is looked at again. */
  async function throughFolder<T>(
    brandId: number,
    path: string,
    work: (remote: OpenRemote) => Promise<T>,
  ): Promise<T> {
    for (let left = MOST_READINGS - 1; ; left--) {
      const held = await holdLocalRepository(join(repositoriesDir, String(brandId)), path);
      if (!held) throw new GitError(NOT_ALONE, null);
      try {
        return await work({
          url: held.path,
          protocols: 'file',
          // Strictly: git would also try names that nobody judged, such as the same one with `.git` behind it.
          options: ['--upload-pack=git upload-pack --strict'],
          openForPush: () => receivingEnd(held.path),
          async confirm() {
            const standing = await held.look();
            if (standing === 'elsewhere') throw new GitError(NOT_ALONE, null);
            if (standing === 'changed') throw new ChangedMeanwhile();
          },
        });
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile) || left === 0) throw error;
      } finally {
        await held.close();
      }
    }
  }

  async function throughSsh<T>(
    brandId: number,
    remote: NetworkRemote,
    work: (remote: OpenRemote) => Promise<T>,
  ): Promise<T> {
    const [address] = await dial(remote, UNREACHABLE_BY_SSH);
    const host = hostKeyName(remote);
    const pinned = (await keys.findHostKeys(brandId, [host])).get(host);
    const privateKey = await keys.openDeployKey(brandId);
    const line = await layOutSsh({ folder: join(mirrorsDir, 'ssh'), privateKey, pinned, address });
    const { environment } = line;
    try {
      return await work({
        url: remote.url,
        protocols: 'ssh',
        environment,
        failure: UNREACHABLE_BY_SSH,
      }).finally(
        // Also when the host refused us: whom we met is worth knowing.
        async () => {
          const met = pinned === undefined ? await line.readHostKey() : undefined;
          if (met && !(await keys.pinHostKey(brandId, host, met))) throw new GitError(OTHER_HOST_KEY, null);
        },
      );
    } catch (error) {
      const refused = error instanceof GitError && /^Host key verification failed/m.test(error.complaint);
      throw refused ? new GitError(OTHER_HOST_KEY, error.exitCode, error.complaint) : error;
    } finally {
      await line.close();
    }
  }

  return {
    /** Judges what a caller wants to attach. Where a name leads is not judged yet: it may lead elsewhere at every look. */
    async judge(brandId: number, isAdmin: boolean, url: string, branch: string | null): Promise<void> {
      const remote = readRemote(url);
      if (!remote) throw invalidRepositoryUrl();
      if (branch !== null && !isBranchName(branch)) throw invalidBranch();
      if (remote.kind !== 'path') return;
      if (!isAdmin) throw adminRequired();
      if ((await localPlace(brandId, remote.path)) === undefined) throw invalidRepositoryUrl();
    },

    /** Lets `work` read a repository. Everything about it is judged again: names, links and keys may have changed. */
    async reach<T>(brandId: number, url: string, work: (remote: OpenRemote) => Promise<T>): Promise<T> {
      const remote = readRemote(url);
      if (!remote) throw new GitError('The address of the repository is not allowed', null);
      if (remote.kind !== 'path')
        return remote.kind === 'ssh' ? throughSsh(brandId, remote, work) : work(await openHttps(remote));
      return throughFolder(brandId, remote.path, work);
    },
  };
}

/**
 * What takes a push in a local repository: its own settings may name programs to run and places to write to, and a folder
 * inside it that looks like a repository would be taken for it.
 */
async function receivingEnd(place: string): Promise<string[]> {
  if (await lstat(join(place, '.git')).catch(() => undefined)) throw new GitError(NOT_ALONE, null);
  const settings = [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'receive.autogc=false',
    'receive.denyCurrentBranch=refuse',
    'maintenance.auto=false',
  ];
  return [`--receive-pack=git ${settings.map((setting) => `-c ${setting}`).join(' ')} receive-pack`];
}

/** The hosts of ssh repositories by their addresses, named as their keys are. */
export function sshHostOf(url: string): string | undefined {
  const remote = readRemote(url);
  return remote?.kind === 'ssh' ? hostKeyName(remote) : undefined;
}
