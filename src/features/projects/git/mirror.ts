import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitRun, runGit } from './git-program.js';

export interface RemoteAddress {
  url: string;
  protocols: 'https' | 'ssh' | 'file';
  branch: string | null;
}

export interface MirrorLimits {
  maxBytes: number;
  fetchTimeoutMs: number;
}

export const DEFAULT_LIMITS: MirrorLimits = { maxBytes: 2 * 1024 ** 3, fetchTimeoutMs: 10 * 60_000 };

const TARGET = 'refs/guildhall/target';
const INDEXED = 'refs/guildhall/indexed';
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** A bare copy of one repository. Nothing in it is ever checked out or run. */
export class Mirror {
  readonly folder: string;
  readonly #configFile: string;

  constructor(
    readonly home: string,
    name: string,
    readonly limits: MirrorLimits = DEFAULT_LIMITS,
  ) {
    this.folder = join(home, `${name}.git`);
    this.#configFile = join(home, 'gitconfig');
  }

  git(args: readonly string[], options: GitRun = {}): Promise<Buffer> {
    return runGit(this.folder, args, { ...options, configFile: this.#configFile });
  }

  async open(): Promise<void> {
    await mkdir(this.home, { recursive: true, mode: 0o700 });
    // The one file git reads beside ours: the other end of a local fetch is started without our settings.
    await writeFile(this.#configFile, '[safe]\n\tdirectory = *\n[core]\n\thooksPath = /dev/null\n');
    const exists = await stat(join(this.folder, 'HEAD')).then(
      () => true,
      () => false,
    );
    if (!exists) await runGit(undefined, ['init', '--bare', '--quiet', '--template=', this.folder]);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Brings the branch here and answers its commit; null when the repository holds nothing yet. */
  async fetch(remote: RemoteAddress, signal?: AbortSignal): Promise<string | null> {
    await this.open();
    const ref = await this.#remoteRef(remote, signal);
    if (!ref) return null;
    if (await this.#has(ref.commit)) await this.git(['update-ref', TARGET, ref.commit]);
    else await this.#download(remote, `+${ref.name}:${TARGET}`, signal);
    return (await this.git(['rev-parse', '--verify', `${TARGET}^{commit}`])).toString().trim();
  }

  /** The full id of a commit, branch or tag, fetched when it is not here yet; undefined when there is none. */
  async resolve(name: string, remote: RemoteAddress, signal?: AbortSignal): Promise<string | undefined> {
    await this.open();
    if (COMMIT.test(name) && (await this.#has(name))) return name;
    const wanted = COMMIT.test(name) ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
    for (const ref of wanted) {
      try {
        await this.#download(remote, `+${ref}:refs/guildhall/asked/${ref.replace(/^refs\//, '')}`, signal);
        const id = await this.git([
          'rev-parse',
          '--verify',
          '--quiet',
          `refs/guildhall/asked/${ref.replace(/^refs\//, '')}^{commit}`,
        ]);
        return id.toString().trim();
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
      }
    }
    if (!/^[0-9a-f]{7,40}$/.test(name)) return undefined;
    return this.git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]).then(
      (id) => id.toString().trim(),
      () => undefined,
    );
  }

  /** Keeps the indexed commit from being lost when the branch is rewritten. */
  async keepIndexed(commit: string): Promise<void> {
    await this.git(['update-ref', INDEXED, commit]);
  }

  async hasCommit(commit: string): Promise<boolean> {
    return COMMIT.test(commit) && this.#has(commit);
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    try {
      await this.git(['merge-base', '--is-ancestor', older, newer]);
      return true;
    } catch (error) {
      if (error instanceof GitError && error.exitCode === 1) return false;
      throw error;
    }
  }

  async mergeBase(one: string, other: string): Promise<string | undefined> {
    try {
      return (await this.git(['merge-base', one, other])).toString().trim();
    } catch (error) {
      if (error instanceof GitError && error.exitCode === 1) return undefined;
      throw error;
    }
  }

  async #has(commit: string): Promise<boolean> {
    return this.git(['cat-file', '-e', `${commit}^{commit}`]).then(
      () => true,
      () => false,
    );
  }

  async #remoteRef(
    remote: RemoteAddress,
    signal?: AbortSignal,
  ): Promise<{ name: string; commit: string } | null> {
    const name = remote.branch ? `refs/heads/${remote.branch}` : 'HEAD';
    const ask = (patterns: string[]) =>
      this.git(['ls-remote', '--', remote.url, ...patterns], {
        protocols: remote.protocols,
        timeoutMs: 60_000,
        maxBytes: 16 * 1024 * 1024,
        signal,
      });
    const found = parseRefs(await ask([name])).find((ref) => ref.name === name);
    if (found) return found;
    if (parseRefs(await ask([])).length === 0) return null;
    throw new GitError(
      remote.branch ? `The branch ${remote.branch} does not exist` : 'The repository has no default branch',
      1,
    );
  }

  async #download(remote: RemoteAddress, refspec: string, signal?: AbortSignal): Promise<void> {
    const tooLarge = new AbortController();
    let excess = false;
    const watch = setInterval(async () => {
      if ((await folderSize(this.folder)) <= this.limits.maxBytes) return;
      excess = true;
      tooLarge.abort();
    }, 1000);
    watch.unref();
    try {
      await this.git(
        [
          'fetch',
          '--quiet',
          '--no-tags',
          '--no-recurse-submodules',
          '--no-write-fetch-head',
          '--no-auto-gc',
          '--',
          remote.url,
          refspec,
        ],
        {
          protocols: remote.protocols,
          timeoutMs: this.limits.fetchTimeoutMs,
          signal: signal ? AbortSignal.any([signal, tooLarge.signal]) : tooLarge.signal,
        },
      );
      if ((await folderSize(this.folder)) > this.limits.maxBytes) excess = true;
    } catch (error) {
      if (!excess) throw error;
    } finally {
      clearInterval(watch);
    }
    if (!excess) return;
    await this.remove();
    throw new GitError(
      `The repository is larger than ${Math.floor(this.limits.maxBytes / 1024 ** 2)} MB`,
      null,
    );
  }
}

function parseRefs(output: Buffer): { name: string; commit: string }[] {
  return output
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [commit, name] = line.split('\t');
      return commit && name && COMMIT.test(commit) ? [{ name, commit }] : [];
    });
}

async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let size = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    size += await stat(join(entry.parentPath, entry.name)).then(
      (found) => found.size,
      () => 0,
    );
  }
  return size;
}
