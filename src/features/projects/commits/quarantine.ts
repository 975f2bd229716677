import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBorrowingRepository, listNewPacks, moveObjects } from '../git/borrowing-repository.js';
import { GitError, type GitRun, runGit, TOO_LONG } from '../git/git-program.js';
import { BUILD_PACKS, type Mirror } from '../git/mirror.js';
import { openRunFolder } from '../git/run-folder.js';
import { bundleRefused } from '../projects.errors.js';
import { type BundleHeader, readBundleHeader } from './bundle-header.js';
import { countChanges, type DiffCount } from './commit-diff.js';
import { measureUnpacked } from './unpacked-size.js';
import { findUnwelcome } from './unwelcome-entries.js';

export interface Arrival {
  branch: string;
  base: string;
  /** From where the changes are counted; left out, from the base. */
  countFrom?: string;
}

/** Commits that were looked at and found good, and are nowhere yet. */
export interface StagedCommits {
  head: string;
  diff: DiffCount;
  /** The bundle as it came. */
  read(): AsyncIterable<Buffer>;
  /** Puts the objects into the mirror and gives the head a name there, which no fetch touches. */
  publish(name: string): Promise<void>;
  discard(): Promise<void>;
}

const MOST_OBJECTS = 200_000;
/** The places where a branch leaves what was there before; a merge adds one. */
const MOST_PREREQUISITES = 100;
const MOST_BYTES = 512 * 1024 ** 2;
const CHECK_MS = 60_000;
const NO_COMMIT = 'The bundle does not hold the commit it names';
const UNCOMPARED = 'The branch cannot be compared with its base';
/** No single object may need more; a few bytes can stand for gigabytes. */
const LIMITS: GitRun = {
  timeoutMs: CHECK_MS,
  settings: ['core.bigFileThreshold=32m', 'pack.threads=1', 'fetch.fsckObjects=true'],
  environment: { GIT_ALLOC_LIMIT: '256m' },
};

/** A folder of its own for one arrival: a bundle as it came, and a repository that borrows from the mirror. */
export async function openQuarantine(home: string) {
  const { path: folder, close: discard } = await openRunFolder(home);
  const bundle = join(folder, 'bundle');
  const repository = join(folder, 'repository.git');

  return {
    discard,

    /** Nothing is judged yet: it may take as long as the line does. */
    async save(bytes: AsyncIterable<Buffer>): Promise<void> {
      const file = await open(bundle, 'wx', 0o600);
      try {
        for await (const chunk of bytes) await file.write(chunk);
      } finally {
        await file.close();
      }
    },

    /** Refuses everything that is not the branch on top of its base, whole and harmless. */
    async judge(mirror: Mirror, arrival: Arrival, signal: AbortSignal): Promise<StagedCommits> {
      const run = (args: readonly string[], options: GitRun = {}) =>
        runGit(repository, args, { ...LIMITS, ...options, signal });
      const file = await open(bundle, 'r');
      try {
        const header = await readBundleHeader(file);
        if (!header) throw bundleRefused('The body is not a git bundle');
        const head = requireBranch(header, arrival);
        requireFew(header);
        await requireKnown(mirror, header, arrival.base, signal);
        await createBorrowingRepository(repository, mirror.folder);
        await unpack(run, file, header);
        await requireOnBase(run, head, arrival.base);
        await requireSmall(run, repository);
        const unwelcome = await refuseFailure(UNCOMPARED, () => findUnwelcome(run, arrival.base, head));
        if (unwelcome) throw bundleRefused(unwelcome);
        const diff = await refuseFailure(UNCOMPARED, () =>
          countChanges(run, arrival.countFrom ?? arrival.base, head),
        );
        return {
          head,
          diff,
          discard,
          read: () => readPieces(bundle),
          publish: publisher(repository, mirror, head),
        };
      } finally {
        await file.close();
      }
    },
  };
}

function requireBranch({ refs }: BundleHeader, { branch }: Arrival): string {
  const wanted = `refs/heads/${branch}`;
  const found = refs.find(({ name }) => name === wanted);
  if (!found) throw bundleRefused(`The bundle does not hold the branch ${branch}`);
  if (refs.length > 1) throw bundleRefused(`The bundle must hold nothing beside the branch ${branch}`);
  return found.commit;
}

/** Whatever takes time grows with these, so they are judged before git is asked anything. */
function requireFew({ prerequisites, objects }: BundleHeader): void {
  if (prerequisites.length > MOST_PREREQUISITES)
    throw bundleRefused('The bundle builds upon too many commits');
  if (objects > MOST_OBJECTS) throw bundleRefused('The bundle holds too many objects');
}

/** What the bundle builds upon has to be part of the base: nothing else of the mirror is the desk's to name. */
async function requireKnown(
  mirror: Mirror,
  { prerequisites }: BundleHeader,
  base: string,
  signal: AbortSignal,
): Promise<void> {
  const others = prerequisites.filter((commit) => commit !== base);
  if (others.length === 0) return;
  const say = `${others.map((commit) => `${commit}^{commit}`).join('\n')}\n^${base}\n`;
  const beside = await refuseFailure(notOnBaseText(base), () =>
    mirror.git(['rev-list', '--max-count=1', '--stdin'], { timeoutMs: CHECK_MS, say, signal }),
  );
  if (beside.length > 0) throw notOnBase(base);
}

type Run = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

/** Every object is read and checked as git checks what strangers push: broken ones, forged paths, `.git` in a tree. */
async function unpack(run: Run, file: FileHandle, header: BundleHeader): Promise<void> {
  // Reads up to the pack, so that git goes on from there.
  await file.read(Buffer.alloc(header.length), 0, header.length, null);
  await refuseFailure('The objects of the bundle are broken or not allowed', () =>
    run(['index-pack', '--stdin', '--fix-thin', '--strict', '--threads=1'], { input: file.fd }),
  );
}

async function requireOnBase(run: Run, head: string, base: string): Promise<void> {
  // Looked at as it is: a tag leads to a commit, but no repository takes one for the end of a branch.
  const kind = await refuseFailure(NO_COMMIT, () => run(['cat-file', '-t', head]));
  if (kind.toString('latin1').trim() !== 'commit') throw bundleRefused(NO_COMMIT);
  await refuseFailure(notOnBaseText(base), () => run(['merge-base', '--is-ancestor', base, head]));
  await refuseFailure('The bundle lacks objects that its commits need', () =>
    run(['rev-list', '--objects', '--quiet', head, `^${base}`]),
  );
}

async function requireSmall(run: Run, repository: string): Promise<void> {
  if ((await measureUnpacked(run, repository)) > MOST_BYTES)
    throw bundleRefused('The objects of the bundle are too large when unpacked');
}

/** Git says no by ending badly; being stopped, or not starting at all, says nothing about the bundle. */
async function refuseFailure<T>(reason: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // A few bytes can keep git busy for hours.
    if (error.complaint === TOO_LONG) throw bundleRefused('The bundle takes too long to check');
    if (error.exitCode === null) throw error;
    throw bundleRefused(reason);
  }
}

const notOnBaseText = (base: string) => `The branch is not on top of ${base}`;
const notOnBase = (base: string) => bundleRefused(notOnBaseText(base));

const publisher = (repository: string, mirror: Mirror, head: string) => async (name: string) => {
  // Whoever measures the mirror counts what the repository brought, and this apart.
  const marks = join(mirror.folder, BUILD_PACKS);
  await mkdir(marks, { recursive: true });
  for (const part of await listNewPacks(repository))
    await writeFile(join(marks, part.replace(/\.\w+$/, '')), '');
  await moveObjects(repository, mirror.folder);
  await mirror.git(['update-ref', name, head]);
};

const PIECE_BYTES = 1024 * 1024;

/** A file, piece by piece. */
export async function* readPieces(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
