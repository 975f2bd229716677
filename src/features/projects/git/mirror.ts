import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBorrowingRepository, moveObjects } from './borrowing-repository.js';
import { GitError, type GitRun, runGit } from './git-program.js';
import { openRunFolder } from './run-folder.js';

/** The other end, as far as it has been judged, with all that a run against it needs. */
export interface OpenRemote {
  url: string;
  protocols: 'https' | 'ssh' | 'file';
  /** Options of `fetch` and `ls-remote`. */
  options?: readonly string[];
  /** Options of `push`, judged when there is one. */
  openForPush?(): Promise<readonly string[]>;
  settings?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** What callers are told when it cannot be read. */
  failure?: string;
  /** Fails when the other end is no longer what was judged: nothing that was read counts before it has been asked. */
  confirm?(): Promise<void>;
}

export type Mirror = ReturnType<typeof createMirror>;

const MOST_BYTES = 2 * 1024 ** 3;
const FETCH_MS = 10 * 60_000;
/** A host that says nothing for so long is not there; whoever compares has a deadline of its own, and that one counts. */
const ASK_MS = 15_000;
const LONGEST_ASK_MS = 60_000;
const TARGET = 'refs/guildhall/target';
const INDEXED = 'refs/guildhall/indexed';
/** A folder of the mirror that names each pack that a coder brought; git takes no notice of it. */
export const BUILD_PACKS = 'guildhall-builds';
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
/** How a server says that it does not give out what was asked for. */
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

  /** Several may open it at once: what is made is made aside and put in its place whole. */
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
        // Half removed, and no repository any more.
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

  /** The commit of the branch, null when the repository holds nothing yet. */
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

  /** What comes from an end that may turn out to be another one is taken in apart, and let in when that has been ruled out. */
  async function download(remote: OpenRemote, refspecs: readonly string[], signal?: AbortSignal) {
    if (!remote.confirm) return fetchInto(folder, remote, refspecs, signal);
    const room = await openRunFolder(join(home, 'apart'));
    const apart = join(room.path, 'repository.git');
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
      await room.close();
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

  /** What is too large is not kept either. */
  async function refuseSize(): Promise<never> {
    await remove();
    throw new GitError(`The repository is larger than ${Math.floor(MOST_BYTES / 1024 ** 2)} MB`, null);
  }

  const commitOf = (object: string): Promise<string | undefined> =>
    git(['rev-parse', '--verify', '--quiet', `${object}^{commit}`]).then(
      (id) => id.toString().trim(),
      () => undefined,
    );

  /** The commit that was brought here last. Where git keeps it elsewhere, git is asked: each run costs more than the rest. */
  const findTaken = async (): Promise<string | undefined> =>
    (await readLooseRef(folder, TARGET)) ?? commitOf(TARGET);

  /** As the other end names it, with its commit; undefined where there is no such branch. Null: the one it shows first. */
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

    /** A branch of the other end, its commit fetched when it is not here yet. */
    async fetchBranch(remote: OpenRemote, wanted: string | null, signal?: AbortSignal) {
      await open();
      const found = await findBranch(remote, wanted, signal);
      if (!found) return undefined;
      if (!(await has(found.commit))) await download(remote, [found.ref], signal);
      const commit = await commitOf(found.commit);
      return commit === undefined ? undefined : { branch: found.branch, commit };
    },

    /** The commit of a branch at the other end; nothing is fetched. */
    async findRemoteCommit(remote: OpenRemote, branch: string, signal?: AbortSignal) {
      await open();
      return (await findBranch(remote, branch, signal))?.commit;
    },

    /** Brings the branch here and answers its commit; null when the repository holds nothing yet. */
    async fetch(remote: OpenRemote, branch: string | null, signal?: AbortSignal): Promise<string | null> {
      // Commits of builds are kept elsewhere too. The repository may have come to rest upon them, so all of it goes.
      if ((await measure(folder)).builds > mostBuildBytes) await remove();
      await open();
      const target = await findTarget(remote, branch, signal);
      if (!target) return null;
      const isHere = (await findTaken()) === target.commit && (await has(target.commit));
      if (!isHere) await download(remote, [`+${target.name}:${TARGET}`], signal);
      // Another than was seen before, where the branch has moved in between.
      return (await findTaken()) ?? target.commit;
    },

    /**
     * The full ids of commits, branches or tags, fetched when they are not here yet; undefined for what there is none of.
     * What is fetched stays without a name: several may ask at once, and a name would make them wait for each other.
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
        // A shortened id can only mean what is here.
        return object || /^[0-9a-f]{7,39}$/.test(name) ? commitOf(object ?? name) : undefined;
      };
      const found: (string | undefined)[] = [];
      for (const name of names) found.push(await resolveOne(name));
      return found;
    },

    /** Keeps the indexed commit from being lost when the branch is rewritten. */
    async keepIndexed(commit: string): Promise<void> {
      await git(['update-ref', INDEXED, commit]);
    },

    hasCommit: async (commit: string): Promise<boolean> => COMMIT.test(commit) && has(commit),

    async isAncestor(older: string, newer: string): Promise<boolean> {
      return (await answerOf(() => git(['merge-base', '--is-ancestor', older, newer]))) !== undefined;
    },

    async mergeBase(one: string, other: string): Promise<string | undefined> {
      return (await answerOf(() => git(['merge-base', one, other])))?.toString().trim();
    },
  };
}

/** The one file git reads beside our settings: the other end of a local fetch is started without those. */
const SETTINGS_OF_OTHER_END = '[safe]\n\tdirectory = *\n[core]\n\thooksPath = /dev/null\n';

const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-write-fetch-head',
  '--no-auto-gc',
];

/** What came in apart has no other name than its number. */
const apartRef = (number: number) => `refs/apart/${number}`;

/** A name as git writes it first, in a file of its own. */
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

/** Undefined when git says no; anything else that is wrong stays a failure. */
async function answerOf(ask: () => Promise<Buffer>): Promise<Buffer | undefined> {
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

/** In bytes: what was fetched, and what coders brought. */
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
