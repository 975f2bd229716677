import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { OutgoingRefused, readAddress } from '../../../platform/outgoing/outgoing-address.js';
import { GitError, TOO_LONG } from '../git/git-program.js';
import { holdLocalRepository, resolveLocalRepository } from '../git/local-path.js';
import type { OpenRemote } from '../git/mirror.js';
import { hostKeyName, isBranchName, type NetworkRemote, readRemote } from '../git/remote-url.js';
import { layOutSsh } from '../git/ssh-line.js';
import { writeTokenFile } from '../git/token-file.js';
import { adminRequired, invalidBranch, invalidRepositoryUrl } from '../projects.errors.js';
import type { ProjectRow } from './projects.store.js';
import {
  hostOf,
  type OpenCredential,
  type RepositoryCredentialService,
} from './repository-credentials.service.js';
import type { RepositoryKeyService } from './repository-keys.service.js';

export type RepositoryAccess = ReturnType<typeof createRepositoryAccess>;

const UNREACHABLE = 'The repository is not reachable';
const UNREACHABLE_BY_SSH =
  'The repository is not reachable, or its host does not know the deploy key of this workspace';
const UNREACHABLE_BY_OWN_KEY =
  'The repository is not reachable, or its host does not know the deploy key of this project';
const UNREACHABLE_BY_TOKEN =
  'The repository is not reachable, or its host does not take the token of this project';
const TOKEN_OF_ANOTHER = 'The repository is not reachable; the token of this project is for another host';
const OTHER_HOST_KEY = 'The host of the repository shows another key than the one that was pinned';
/** A repository in which somebody is busy is read so often before a pass gives up. */
const MOST_READINGS = 4;
const NOT_ALONE = 'The repository is not wholly inside the folder of this workspace';

/** A project with its repository, as far as reaching it takes. */
export type ReachedProject = Pick<ProjectRow, 'brand_id' | 'project_id'> & { repository_url: string };

/** With what the host that a project is connected with takes pushes, and at which address. */
export type ForgeToken = Extract<OpenCredential, { kind: 'token' }> & { url: string };

type Work<T> = (remote: OpenRemote) => Promise<T>;

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
  credentials,
  findForgeToken = async () => undefined,
}: {
  repositoriesDir: string;
  mirrorsDir: string;
  /** The addresses of a host that may be dialled. */
  resolveHost(host: string): Promise<string[]>;
  keys: RepositoryKeyService;
  credentials: Pick<RepositoryCredentialService, 'open' | 'noteWorked'>;
  /** Where the project has nothing of its own; undefined where it is not connected with the host of this very repository. */
  findForgeToken?(project: ReachedProject): Promise<ForgeToken | undefined>;
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

  async function openHttps(remote: NetworkRemote, failure: string): Promise<OpenRemote> {
    const addresses = await dial(remote, failure);
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
    return { url, protocols: 'https', settings, failure };
  }

  /** A token goes to the host it was given for: to any other the project goes as anybody. */
  async function throughHttps<T>(project: ReachedProject, remote: NetworkRemote, work: Work<T>): Promise<T> {
    const own = await credentials.open(project);
    // A key is of no use here.
    const credential = own?.kind === 'token' ? own : await findForgeToken(project);
    if (!credential) return work(await openHttps(remote, UNREACHABLE));
    return withToken(project, remote, credential, work);
  }

  async function withToken<T>(
    project: ReachedProject,
    remote: NetworkRemote,
    credential: Extract<OpenCredential, { kind: 'token' }>,
    work: Work<T>,
  ): Promise<T> {
    if (credential.host !== hostOf(remote)) return work(await openHttps(remote, TOKEN_OF_ANOTHER));
    const opened = await openHttps(remote, UNREACHABLE_BY_TOKEN);
    const file = await writeTokenFile({
      folder: join(mirrorsDir, 'https'),
      origin: `https://${hostOf(remote)}/`,
      ...credential,
    });
    try {
      const done = await work({ ...opened, settings: [...opened.settings!, file.setting] });
      await credentials.noteWorked(project, credential);
      return done;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      throw new GitError(error.message, error.exitCode, file.mask(error.complaint));
    } finally {
      await file.close();
    }
  }

  /** People work in such a repository while it is read: what they changed meanwhile is looked at again. */
  async function throughFolder<T>(brandId: number, path: string, work: Work<T>): Promise<T> {
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

  /** While a key takes the place of another, a host may know either. What it did with the new one ends the old one. */
  async function throughSsh<T>(project: ReachedProject, remote: NetworkRemote, work: Work<T>): Promise<T> {
    const { brand_id: brandId } = project;
    const credential = await credentials.open(project);
    if (credential?.kind !== 'deploy_key')
      return withKey(brandId, remote, () => keys.openDeployKey(brandId), UNREACHABLE_BY_SSH, work).catch(
        (error: unknown) => withForgeToken(project, error, work),
      );
    const show = (key: string) => withKey(brandId, remote, async () => key, UNREACHABLE_BY_OWN_KEY, work);
    const { privateKey, formerPrivateKey } = credential;
    try {
      const done = await show(privateKey);
      await credentials.noteWorked(project, credential);
      return done;
    } catch (error) {
      if (formerPrivateKey === null || !mayBeRefusal(error)) throw error;
      return show(formerPrivateKey).catch((other: unknown) => {
        throw other instanceof GitError ? error : other;
      });
    }
  }

  /** A host that does not know the key of the workspace, or does not let it push, may know the token it is connected with. */
  async function withForgeToken<T>(project: ReachedProject, refusal: unknown, work: Work<T>): Promise<T> {
    const token = mayBeRefusal(refusal) ? await findForgeToken(project) : undefined;
    const remote = token && readRemote(token.url);
    if (!token || remote?.kind !== 'https') throw refusal;
    return withToken(project, remote, token, work).catch((other: unknown) => {
      throw other instanceof GitError ? refusal : other;
    });
  }

  async function withKey<T>(
    brandId: number,
    remote: NetworkRemote,
    openKey: () => Promise<string>,
    failure: string,
    work: Work<T>,
  ): Promise<T> {
    const [address] = await dial(remote, failure);
    const host = hostKeyName(remote);
    const pinned = (await keys.findHostKeys(brandId, [host])).get(host);
    const privateKey = await openKey();
    const line = await layOutSsh({ folder: join(mirrorsDir, 'ssh'), privateKey, pinned, address });
    const { environment } = line;
    try {
      return await work({
        url: remote.url,
        protocols: 'ssh',
        environment,
        failure,
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
    async reach<T>(project: ReachedProject, work: Work<T>): Promise<T> {
      const remote = readRemote(project.repository_url);
      if (!remote) throw new GitError('The address of the repository is not allowed', null);
      if (remote.kind === 'path') return throughFolder(project.brand_id, remote.path, work);
      return remote.kind === 'ssh' ? throughSsh(project, remote, work) : throughHttps(project, remote, work);
    },
  };
}

/** Hosts say in words of their own that a key is not known, or not for this. One that is not there, or is another, refused nobody. */
const mayBeRefusal = (error: unknown): boolean =>
  error instanceof GitError && error.complaint !== TOO_LONG && error.message !== OTHER_HOST_KEY;

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
