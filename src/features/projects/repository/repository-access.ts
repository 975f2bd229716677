import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { OutgoingRefused, readAddress } from '../../../platform/outgoing/outgoing-address.js';
import { GitError, TOO_LONG } from '../git/git-program.js';
import { holdLocalRepository, resolveLocalRepository } from '../git/local-path.js';
import type { OpenRemote } from '../git/mirror.js';
import { hostKeyName, isBranchName, type NetworkRemote, readRemote } from '../git/remote-url.js';
import { writeTokenFile } from '../git/run-folder.js';
import { layOutSsh } from '../git/ssh.js';
import { adminRequired, invalidBranch, invalidRepositoryUrl } from '../projects.errors.js';
import type { ProjectRow } from './projects.store.js';
import { hostOf, type OpenCredential, type RepositoryCredentials } from './repository-credentials.service.js';

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
/** A repository that changes during reading is read this often in total. */
const MOST_READINGS = 4;
const NOT_ALONE = 'The repository is not wholly inside the folder of this workspace';

export type ReachedProject = Pick<ProjectRow, 'brand_id' | 'project_id'> & { repository_url: string };

export type ForgeToken = Extract<OpenCredential, { kind: 'token' }> & { url: string };

type Work<T> = (remote: OpenRemote) => Promise<T>;

class ChangedMeanwhile extends GitError {
  constructor() {
    super('The repository changed while it was read', null);
  }
}

export function createRepositoryAccess({
  repositoriesDir,
  mirrorsDir,
  resolveHost,
  credentials,
  findForgeToken = async () => undefined,
}: {
  repositoriesDir: string;
  mirrorsDir: string;
  resolveHost(host: string): Promise<string[]>;
  credentials: Pick<
    RepositoryCredentials,
    'open' | 'noteWorked' | 'openDeployKey' | 'findHostKeys' | 'pinHostKey'
  >;
  /** Used if the project has no credential of its own. */
  findForgeToken?(project: ReachedProject): Promise<ForgeToken | undefined>;
}) {
  const localPlace = (brandId: number, path: string) =>
    resolveLocalRepository(join(repositoriesDir, String(brandId)), path);

  /** Pins the run to the addresses that were checked, in case the name resolves differently later. */
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

  /** Sends a token only to the host it was given for. */
  async function throughHttps<T>(project: ReachedProject, remote: NetworkRemote, work: Work<T>): Promise<T> {
    const own = await credentials.open(project);
    // A deploy key is useless over https.
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

  /** People may work in such a repository meanwhile, so it is read again if it changed. */
  async function throughFolder<T>(brandId: number, path: string, work: Work<T>): Promise<T> {
    for (let left = MOST_READINGS - 1; ; left--) {
      const held = await holdLocalRepository(join(repositoriesDir, String(brandId)), path);
      if (!held) throw new GitError(NOT_ALONE, null);
      try {
        return await work({
          url: held.path,
          protocols: 'file',
          // Without --strict git would also try other names, such as the same one with `.git` appended.
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

  /** During a rotation the host may know either key. Success with the new key ends the old one. */
  async function throughSsh<T>(project: ReachedProject, remote: NetworkRemote, work: Work<T>): Promise<T> {
    const { brand_id: brandId } = project;
    const credential = await credentials.open(project);
    if (credential?.kind !== 'deploy_key')
      return withKey(
        brandId,
        remote,
        () => credentials.openDeployKey(brandId),
        UNREACHABLE_BY_SSH,
        work,
      ).catch((error: unknown) => withForgeToken(project, error, work));
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
    const pinned = (await credentials.findHostKeys(brandId, [host])).get(host);
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
        // Pins the host key even if the host rejected us.
        async () => {
          const met = pinned === undefined ? await line.readHostKey() : undefined;
          if (met && !(await credentials.pinHostKey(brandId, host, met)))
            throw new GitError(OTHER_HOST_KEY, null);
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
    /** Checks an address before it is attached. The addresses behind a host name are checked on each run. */
    async judge(brandId: number, isAdmin: boolean, url: string, branch: string | null): Promise<void> {
      const remote = readRemote(url);
      if (!remote) throw invalidRepositoryUrl();
      if (branch !== null && !isBranchName(branch)) throw invalidBranch();
      if (remote.kind !== 'path') return;
      if (!isAdmin) throw adminRequired();
      if ((await localPlace(brandId, remote.path)) === undefined) throw invalidRepositoryUrl();
    },

    /** Checks the address again and lets `work` read the repository. */
    async reach<T>(project: ReachedProject, work: Work<T>): Promise<T> {
      const remote = readRemote(project.repository_url);
      if (!remote) throw new GitError('The address of the repository is not allowed', null);
      if (remote.kind === 'path') return throughFolder(project.brand_id, remote.path, work);
      return remote.kind === 'ssh' ? throughSsh(project, remote, work) : throughHttps(project, remote, work);
    },
  };
}

/** Hosts describe a rejected key in their own words. A timeout or a changed host key is not a rejection. */
const mayBeRefusal = (error: unknown): boolean =>
  error instanceof GitError && error.complaint !== TOO_LONG && error.message !== OTHER_HOST_KEY;

/** Overrides settings that name programs, and rejects an inner `.git`, which git would use instead. */
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

/** The name under which the host key of an SSH repository is pinned. */
export function sshHostOf(url: string): string | undefined {
  const remote = readRemote(url);
  return remote?.kind === 'ssh' ? hostKeyName(remote) : undefined;
}
