import { type FileHandle, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitRun, type RunGit, runGit, TOO_LONG } from '../git/git-program.js';
import {
  BUILD_PACKS,
  createBorrowingRepository,
  listNewPacks,
  type Mirror,
  moveObjects,
} from '../git/mirror.js';
import { openRunFolder } from '../git/run-folder.js';
import { bundleRefused } from '../projects.errors.js';
import { countChanges, type DiffCount } from './diffs.js';
import { findUnwelcome } from './unwelcome-entries.js';

export interface Arrival {
  branch: string;
  base: string;
  countFrom?: string;
}

export interface StagedCommits {
  head: string;
  diff: DiffCount;
  read(): AsyncIterable<Buffer>;
  /** Moves the objects into the mirror and adds a ref that no fetch changes. */
  publish(name: string): Promise<void>;
  discard(): Promise<void>;
}

const MOST_OBJECTS = 200_000;
/** Each merge adds another prerequisite. */
const MOST_PREREQUISITES = 100;
const MOST_BYTES = 512 * 1024 ** 2;
const CHECK_MS = 60_000;
const NO_COMMIT = 'The bundle does not hold the commit it names';
const UNCOMPARED = 'The branch cannot be compared with its base';
/** A few bytes can unpack to gigabytes. */
const LIMITS: GitRun = {
  timeoutMs: CHECK_MS,
  settings: ['core.bigFileThreshold=32m', 'pack.threads=1', 'fetch.fsckObjects=true'],
  environment: { GIT_ALLOC_LIMIT: '256m' },
};

export async function openQuarantine(home: string) {
  const { path: folder, close: discard } = await openRunFolder(home);
  const bundle = join(folder, 'bundle');
  const repository = join(folder, 'repository.git');

  return {
    discard,

    /** Has no deadline, because the upload may be slow. */
    async save(bytes: AsyncIterable<Buffer>): Promise<void> {
      const file = await open(bundle, 'wx', 0o600);
      try {
        for await (const chunk of bytes) await file.write(chunk);
      } finally {
        await file.close();
      }
    },

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
  if (refs.length > 1) throw bundleRefused(`The bundle must contain only the branch ${branch}`);
  return found.commit;
}

/** The cost of every later step grows with these numbers, so they are checked before git runs. */
function requireFew({ prerequisites, objects }: BundleHeader): void {
  if (prerequisites.length > MOST_PREREQUISITES)
    throw bundleRefused('The bundle builds upon too many commits');
  if (objects > MOST_OBJECTS) throw bundleRefused('The bundle holds too many objects');
}

/** A desk may build only on the base, not on other commits of the mirror. */
async function requireKnown(
  mirror: Mirror,
  { prerequisites }: BundleHeader,
  base: string,
  signal: AbortSignal,
): Promise<void> {
  const others = prerequisites.filter((commit) => commit !== base);
  if (others.length === 0) return;
  const stdin = `${others.map((commit) => `${commit}^{commit}`).join('\n')}\n^${base}\n`;
  const beside = await refuseFailure(notOnBaseText(base), () =>
    mirror.git(['rev-list', '--max-count=1', '--stdin'], { timeoutMs: CHECK_MS, stdin, signal }),
  );
  if (beside.length > 0) throw notOnBase(base);
}

/** Git checks every object as strictly as a push from a stranger: broken objects, forged paths, `.git` in a tree. */
async function unpack(run: RunGit, file: FileHandle, header: BundleHeader): Promise<void> {
  // Advances the file position to the pack, where git continues.
  await file.read(Buffer.alloc(header.length), 0, header.length, null);
  await refuseFailure('The objects of the bundle are broken or not allowed', () =>
    run(['index-pack', '--stdin', '--fix-thin', '--strict', '--threads=1'], { input: file.fd }),
  );
}

async function requireOnBase(run: RunGit, head: string, base: string): Promise<void> {
  // A tag leads to a commit, but git does not accept one as the tip of a branch.
  const kind = await refuseFailure(NO_COMMIT, () => run(['cat-file', '-t', head]));
  if (kind.toString('latin1').trim() !== 'commit') throw bundleRefused(NO_COMMIT);
  await refuseFailure(notOnBaseText(base), () => run(['merge-base', '--is-ancestor', base, head]));
  await refuseFailure('The bundle lacks objects that its commits need', () =>
    run(['rev-list', '--objects', '--quiet', head, `^${base}`]),
  );
}

async function requireSmall(run: RunGit, repository: string): Promise<void> {
  if ((await measureUnpacked(run, repository)) > MOST_BYTES)
    throw bundleRefused('The objects of the bundle are too large when unpacked');
}

/** An exit code is a verdict on the bundle; a run that was stopped or never started is not. */
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
  // The mirror measures packs of builds separately from the repository's packs.
  const marks = join(mirror.folder, BUILD_PACKS);
  await mkdir(marks, { recursive: true });
  for (const part of await listNewPacks(repository))
    await writeFile(join(marks, part.replace(/\.\w+$/, '')), '');
  await moveObjects(repository, mirror.folder);
  await mirror.git(['update-ref', name, head]);
};

const PIECE_BYTES = 1024 * 1024;

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

export interface BundleHeader {
  prerequisites: string[];
  refs: { name: string; commit: string }[];
  length: number;
  objects: number;
}

const MOST_HEADER_BYTES = 64 * 1024;
const PACK_HEAD_BYTES = 12;
const PREREQUISITE = /^-([0-9a-f]{40})(?: .*)?$/;
const REF = /^([0-9a-f]{40}) (\S+)$/;

export async function readBundleHeader(file: FileHandle): Promise<BundleHeader | undefined> {
  const bytes = Buffer.alloc(MOST_HEADER_BYTES + PACK_HEAD_BYTES);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
  const read = bytes.subarray(0, bytesRead);
  const end = read.indexOf('\n\n');
  if (end < 0) return undefined;
  const [signature, ...lines] = read.subarray(0, end).toString('utf8').split('\n');
  const pack = read.subarray(end + 2, end + 2 + PACK_HEAD_BYTES);
  if (signature !== '# v2 git bundle' && signature !== '# v3 git bundle') return undefined;
  if (pack.length < PACK_HEAD_BYTES || pack.toString('latin1', 0, 4) !== 'PACK') return undefined;
  const header: BundleHeader = {
    prerequisites: [],
    refs: [],
    length: end + 2,
    objects: pack.readUInt32BE(8),
  };
  for (const line of lines) {
    const prerequisite = PREREQUISITE.exec(line)?.[1];
    const [, commit, name] = REF.exec(line) ?? [];
    if (prerequisite) header.prerequisites.push(prerequisite);
    else if (commit && name) header.refs.push({ name, commit });
    // Other object formats and partial bundles are not accepted.
    else if (signature !== '# v3 git bundle' || line !== '@object-format=sha1') return undefined;
  }
  return header;
}

export const writeBundleHeader = (commit: string, ref: string): string =>
  `# v2 git bundle\n${commit} ${ref}\n\n`;

const ID_BYTES = 20;
/** Signature, version and 256 counts; the last count is the total. */
const HEAD_BYTES = 8 + 256 * 4;
const IDS_AT_ONCE = 2000;

/** Reads the unpacked size of all objects of a pack from their headers, without unpacking. */
export async function measureUnpacked(run: RunGit, repository: string): Promise<number> {
  const packs = join(repository, 'objects', 'pack');
  const index = (await readdir(packs)).find((name) => name.endsWith('.idx'));
  if (!index) return 0;
  const names = join(repository, 'names');
  await writeNames(join(packs, index), names);
  const input = await open(names, 'r');
  let total = 0;
  let rest = '';
  try {
    await run(['cat-file', '--batch-check=%(objectsize)'], {
      input: input.fd,
      onOutput(chunk) {
        const lines = (rest + chunk.toString('latin1')).split('\n');
        rest = lines.pop()!;
        for (const line of lines) total += Number(line) || 0;
      },
    });
  } finally {
    await input.close();
  }
  return total;
}

async function writeNames(index: string, to: string): Promise<void> {
  const from = await open(index, 'r');
  const names = await open(to, 'wx', 0o600);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    await from.read(head, 0, HEAD_BYTES, 0);
    let left = head.readUInt32BE(HEAD_BYTES - 4);
    const piece = Buffer.alloc(IDS_AT_ONCE * ID_BYTES);
    for (let at = HEAD_BYTES; left > 0; ) {
      const { bytesRead } = await from.read(piece, 0, Math.min(left, IDS_AT_ONCE) * ID_BYTES, at);
      const count = Math.floor(bytesRead / ID_BYTES);
      if (count === 0) return;
      let text = '';
      for (let id = 0; id < count; id++)
        text += `${piece.toString('hex', id * ID_BYTES, (id + 1) * ID_BYTES)}\n`;
      await names.write(text);
      at += count * ID_BYTES;
      left -= count;
    }
  } finally {
    await names.close();
    await from.close();
  }
}
