import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitRun, runGit } from './git-program.js';
import { openRunFolder } from './run-folder.js';

/** A remote that passed the address check, with everything that a git run needs. */
export interface OpenRemote {
  url: string;
  protocols: 'https' | 'ssh' | 'file';
  options?: readonly string[];
  openForPush?(): Promise<readonly string[]>;
  settings?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  failure?: string;
  /** Throws if the remote has changed since the check; data that was read is valid only after this call. */
  confirm?(): Promise<void>;
}

export type Mirror = ReturnType<typeof createMirror>;

const MOST_BYTES = 2 * 1024 ** 3;
const FETCH_MS = 10 * 60_000;
const ASK_MS = 15_000;
const LONGEST_ASK_MS = 60_000;
const TARGET = 'refs/guildhall/target';
const INDEXED = 'refs/guildhall/indexed';
/** A folder of the mirror that lists each pack of a build; git ignores it. */
export const BUILD_PACKS = 'guildhall-builds';
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const NOT_GIVEN = /not our ref|unadvertised object|couldn't find remote ref|no such ref/i;

/** A bare copy of one repository. Nothing in it is ever checked out or run. */
export function createMirror(home: string, name: string, { mostBuildBytes = MOST_BYTES } = {}) {
  const folder = join(home, `${name}.git`);
  const emptyHome = join(home, 'empty');
  const configFile = join(home, 'gitconfig');

  const git = (args: readonly string[], options: GitRun = {}): Promise<Buffer> =>
    runGit(folder, args, {
      ...options,
      environment: { HOME: emptyHome, ...options.environment },
      configFile,
    });

  const remove = () => rm(folder, { recursive: true, force: true });

  /** Several callers may open it at once, so it is built elsewhere and renamed into place. */
  async function open(): Promise<void> {
    await mkdir(emptyHome, { recursive: true, mode: 0o700 });
    if ((await exists(join(folder, 'HEAD'))) && (await exists(configFile))) return;
    const aside = await mkdtemp(join(home, 'new-'));
    try {
      await writeFile(join(aside, 'gitconfig'), SETTINGS_OF_OTHER_END);
      await rename(join(aside, 'gitconfig'), configFile);
      await runGit(undefined, ['init', '--bare', '--quiet', '--template=', join(aside, 'mirror')]);
      if (await exists(join(folder, 'HEAD'))) return;
      await rename(join(aside, 'mirror'), folder).catch(async () => {
        if (await exists(join(folder, 'HEAD'))) return;
        // A previous removal was interrupted, so it is no longer a repository.
        await remove();
        await rename(join(aside, 'mirror'), folder);
      });
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }

  const has = (commit: string): Promise<boolean> =>
    git(['cat-file', '-e', `${commit}^{commit}`]).then(
      () => true,
      () => false,
    );

  const listRefs = async (
    remote: OpenRemote,
    patterns: readonly string[],
    timeoutMs: number,
    signal?: AbortSignal,
  ) => {
    const output = await git(['ls-remote', ...(remote.options ?? []), '--', remote.url, ...patterns], {
      ...runOf(remote),
      timeoutMs,
      maxBytes: 16 * 1024 * 1024,
      signal,
    });
    await remote.confirm?.();
    return parseRefs(output);
  };

  async function findTarget(remote: OpenRemote, branch: string | null, signal?: AbortSignal) {
    const wanted = branch ? `refs/heads/${branch}` : 'HEAD';
    const found = (await listRefs(remote, [wanted], ASK_MS, signal)).find((ref) => ref.name === wanted);
    if (found) return found;
    if ((await listRefs(remote, [], ASK_MS, signal)).length === 0) return null;
    throw new GitError(
      branch ? `The branch ${branch} does not exist` : 'The repository has no default branch',
      1,
    );
  }

  /** A remote that needs confirmation is fetched into a separate repository and merged after `confirm`. */
  async function download(remote: OpenRemote, refspecs: readonly string[], signal?: AbortSignal) {
    if (!remote.confirm) return fetchInto(folder, remote, refspecs, signal);
    const scratch = await openRunFolder(join(home, 'apart'));
    const apart = join(scratch.path, 'repository.git');
    try {
      await createBorrowingRepository(apart, folder);
      const parts = refspecs.map((spec) => /^\+?([^:]*):?(.*)$/.exec(spec)!);
      const named = parts.map(([, from], n) => `+${from}:${apartRef(n)}`);
      await fetchInto(apart, remote, named, signal);
      await remote.confirm();
      await requireSmall(apart, folder);
      await moveObjects(apart, folder);
      for (const [n, [, , to]] of parts.entries())
        if (to) await git(['update-ref', to, (await readLooseRef(apart, apartRef(n)))!]);
    } finally {
      await scratch.close();
    }
  }

  async function fetchInto(
    place: string,
    remote: OpenRemote,
    refspecs: readonly string[],
    signal?: AbortSignal,
  ) {
    const tooLarge = new AbortController();
    let excess = false;
    const watch = setInterval(async () => {
      if ((await measure(place)).repository <= MOST_BYTES) return;
      excess = true;
      tooLarge.abort();
    }, 1000);
    watch.unref();
    try {
      await runGit(place, [...FETCH, ...(remote.options ?? []), '--', remote.url, ...refspecs], {
        ...runOf(remote),
        environment: { HOME: emptyHome, ...remote.environment },
        configFile,
        timeoutMs: FETCH_MS,
        signal: signal ? AbortSignal.any([signal, tooLarge.signal]) : tooLarge.signal,
      });
    } catch (error) {
      if (excess) return await refuseSize();
      throw error;
    } finally {
      clearInterval(watch);
    }
    await requireSmall(place);
  }

  async function requireSmall(...places: string[]): Promise<void> {
    const sizes = await Promise.all(places.map(measure));
    if (sizes.reduce((sum, { repository }) => sum + repository, 0) > MOST_BYTES) await refuseSize();
  }

  /** A repository above the limit is not kept. */
  async function refuseSize(): Promise<never> {
    await remove();
    throw new GitError(`The repository is larger than ${Math.floor(MOST_BYTES / 1024 ** 2)} MB`, null);
  }

  const commitOf = (object: string): Promise<string | undefined> =>
    git(['rev-parse', '--verify', '--quiet', `${object}^{commit}`]).then(
      (id) => id.toString().trim(),
      () => undefined,
    );

  /** Reads the ref's file if there is one, because starting git costs more than everything else. */
  const findTaken = async (): Promise<string | undefined> =>
    (await readLooseRef(folder, TARGET)) ?? commitOf(TARGET);

  /** `null` requests the default branch. */
  async function findBranch(remote: OpenRemote, branch: string | null, signal?: AbortSignal) {
    if (branch !== null) {
      const name = `refs/heads/${branch}`;
      const found = (await listRefs(remote, [name], ASK_MS, signal)).find((ref) => ref.name === name);
      return found && { ref: name, branch, commit: found.commit };
    }
    const output = await git(['ls-remote', '--symref', ...(remote.options ?? []), '--', remote.url, 'HEAD'], {
      ...runOf(remote),
      timeoutMs: ASK_MS,
      maxBytes: 1024 * 1024,
      signal,
    });
    await remote.confirm?.();
    const name = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(output.toString('utf8'))?.[1];
    const commit = parseRefs(output).find((ref) => ref.name === 'HEAD')?.commit;
    return commit === undefined ? undefined : { ref: 'HEAD', branch: name ?? 'HEAD', commit };
  }

  return {
    folder,
    git,
    remove,
    open,
    measure: () => measure(folder),

    async fetchBranch(remote: OpenRemote, wanted: string | null, signal?: AbortSignal) {
      await open();
      const found = await findBranch(remote, wanted, signal);
      if (!found) return undefined;
      if (!(await has(found.commit))) await download(remote, [found.ref], signal);
      const commit = await commitOf(found.commit);
      return commit === undefined ? undefined : { branch: found.branch, commit };
    },

    async findRemoteCommit(remote: OpenRemote, branch: string, signal?: AbortSignal) {
      await open();
      return (await findBranch(remote, branch, signal))?.commit;
    },

    async fetch(remote: OpenRemote, branch: string | null, signal?: AbortSignal): Promise<string | null> {
      // Submitted commits are stored elsewhere too. Their packs may also hold objects of the repository, so
      // the whole mirror is removed.
      if ((await measure(folder)).builds > mostBuildBytes) await remove();
      await open();
      const target = await findTarget(remote, branch, signal);
      if (!target) return null;
      const isHere = (await findTaken()) === target.commit && (await has(target.commit));
      if (!isHere) await download(remote, [`+${target.name}:${TARGET}`], signal);
      // The branch may have moved between the two requests.
      return (await findTaken()) ?? target.commit;
    },

    /**
     * Returns full ids of commits, branches or tags, and fetches missing ones. Fetched commits get no ref:
     * parallel callers would wait for each other's lock.
     */
    async resolve(names: readonly string[], remote: OpenRemote, signal?: AbortSignal) {
      await open();
      const here = new Map<string, string>();
      for (const name of names) if (COMMIT.test(name) && (await has(name))) here.set(name, name);
      const asked = names.filter((name) => !here.has(name));
      const patterns = asked.flatMap(patternsOf);
      const refs = asked.length === 0 ? [] : await listRefs(remote, patterns, LONGEST_ASK_MS, signal);
      const resolveOne = async (name: string): Promise<string | undefined> => {
        const known = here.get(name);
        if (known) return known;
        const ref = patternsOf(name).flatMap((full) => refs.find((found) => found.name === full) ?? [])[0];
        const object = ref?.commit ?? (COMMIT.test(name) ? name : undefined);
        if (object && !(await has(object))) {
          try {
            await download(remote, [ref?.name ?? object], signal);
          } catch (error) {
            if (!(error instanceof GitError && NOT_GIVEN.test(error.complaint))) throw error;
          }
        }
        // An abbreviated id can only refer to a commit that is in the mirror.
        return object || /^[0-9a-f]{7,39}$/.test(name) ? commitOf(object ?? name) : undefined;
      };
      const found: (string | undefined)[] = [];
      for (const name of names) found.push(await resolveOne(name));
      return found;
    },

    async keepIndexed(commit: string): Promise<void> {
      await git(['update-ref', INDEXED, commit]);
    },

    hasCommit: async (commit: string): Promise<boolean> => COMMIT.test(commit) && has(commit),

    async isAncestor(older: string, newer: string): Promise<boolean> {
      return (await optionalOutput(() => git(['merge-base', '--is-ancestor', older, newer]))) !== undefined;
    },

    async mergeBase(one: string, other: string): Promise<string | undefined> {
      return (await optionalOutput(() => git(['merge-base', one, other])))?.toString().trim();
    },
  };
}

/** The only file git reads besides our settings, which the other end of a local fetch does not get. */
const SETTINGS_OF_OTHER_END = '[safe]\n\tdirectory = *\n[core]\n\thooksPath = /dev/null\n';

const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-write-fetch-head',
  '--no-auto-gc',
];

const apartRef = (number: number) => `refs/apart/${number}`;

/** Reads a ref from its own file, where git first writes it. */
async function readLooseRef(repository: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(repository, name), 'utf8').catch(() => '');
  return COMMIT.exec(text.trim())?.[0];
}

const patternsOf = (name: string) => [`refs/heads/${name}`, `refs/tags/${name}`];

export const runOf = ({ protocols, settings, environment, failure }: OpenRemote): GitRun => ({
  protocols,
  settings,
  environment,
  failure,
});

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Exit code 1 means no; every other failure is an error. */
async function optionalOutput(ask: () => Promise<Buffer>): Promise<Buffer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return undefined;
    throw error;
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

async function measure(folder: string): Promise<{ repository: number; builds: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const marks = join(folder, BUILD_PACKS);
  const marked = new Set(entries.filter(({ parentPath }) => parentPath === marks).map(({ name }) => name));
  const sizes = { repository: 0, builds: 0 };
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const size = await stat(join(entry.parentPath, entry.name)).then(
      (found) => found.size,
      () => 0,
    );
    sizes[marked.has(entry.name.replace(/\.\w+$/, '')) ? 'builds' : 'repository'] += size;
  }
  return sizes;
}

/** A bare repository with another one as its alternate. Created without git, because starting git costs more. */
export async function createBorrowingRepository(repository: string, lender: string): Promise<void> {
  await mkdir(join(repository, 'objects', 'info'), { recursive: true });
  await mkdir(join(repository, 'refs'));
  await writeFile(join(repository, 'objects', 'info', 'alternates'), `${join(lender, 'objects')}\n`);
  await writeFile(join(repository, 'HEAD'), 'ref: refs/heads/main\n');
}

/** Git sees a pack once its index exists, so the index comes last. */
const PARTS_OF_PACK = ['.pack', '.rev', '.idx'];

export async function listNewPacks(repository: string): Promise<string[]> {
  const names = await listNames(join(repository, 'objects', 'pack'));
  return PARTS_OF_PACK.flatMap((ending) => names.filter((name) => name.endsWith(ending)));
}

/** Moves the borrower's own objects to the lender. An existing object of the same name is identical. */
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
