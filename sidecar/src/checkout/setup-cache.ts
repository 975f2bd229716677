import { createHash } from 'node:crypto';
import fs, {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DeskFiles, readIfThere, remove, syncToDisk, writeWhole } from '../desk-files.js';
import type { Cell } from '../runner/isolation.js';
import type { BuildFolder } from '../spool/build-folder.js';
import { parseObject, type StartedBuild } from '../work/build-protocol.js';
import { startScript } from './cell-script.js';

export interface SetupSite {
  files: Pick<DeskFiles, 'cache'>;
  cell: Cell;
  folder: BuildFolder;
  started: StartedBuild;
  canceled: AbortSignal;
}

const MOST_LISTED_BYTES = 1024 * 1024;
const ROOM_BYTES = 1024 ** 3;

const TREE = 'cd "$GIT_WORK_TREE" && git ls-tree -r -z --full-tree "$1"';
/** Fails when the setup changed tracked files: the cache restores only ignored files. */
const LIST = `cd "$GIT_WORK_TREE" || exit 1
[ -z "$(git status --porcelain | head -c 1)" ] || { echo 'error: it leaves files that git does not ignore' >&2; exit 1; }
git ls-files --others --ignored --exclude-standard --directory -z`;
const PACK = 'cd "$GIT_WORK_TREE" && tar -c --null -T - -f -';
/**
 * `cat` reads the rest of the input: tar stops at the end of the archive, and writing to a closed pipe would
 * fail.
 */
const UNPACK = `cd "$GIT_WORK_TREE" && tar -x --no-same-owner -f - && cat >/dev/null && [ -z "$(git status --porcelain | head -c 1)" ]`;
const CLEAN = 'cd "$GIT_WORK_TREE" && git reset --hard --quiet && git clean -ffdxq';

/**
 * Keeps the result of a setup for the next build with the same lock files. The build's user reads and writes
 * the files, but root owns the archive, so no build can change what another build gets.
 */
export async function openSetupCache(site: SetupSite) {
  const { files, cell, folder, started, canceled } = site;
  const run = (script: string, args: string[] = []) => startScript(cell, folder, script, args, canceled);

  const tree = run(TREE, [started.base_sha]);
  tree.input.end();
  const { digest, links } = await readLockedTree(tree.output as AsyncIterable<Buffer>);
  await tree.ended;
  const isKnown = digest !== undefined && links !== undefined && started.project_id !== null;
  const key = isKnown ? keyOf([started.project_id, started.setup?.command, digest]) : undefined;

  async function clean(): Promise<void> {
    const { input, ended } = run(CLEAN);
    input.end();
    await ended;
  }

  async function listMade(): Promise<string[]> {
    const { input, output, ended } = run(LIST);
    input.end();
    let text = '';
    for await (const chunk of output as AsyncIterable<Buffer>) {
      text += chunk.toString('latin1');
      if (text.length > MOST_LISTED_BYTES) throw new Error('it makes too many files in too many places');
    }
    await ended;
    return text.split('\0').filter((path) => path !== '');
  }

  async function pack(roots: string[], target: string): Promise<{ digest: string; bytes: number }> {
    const { input, output, ended } = run(PACK);
    input.end(roots.map((root) => `./${root}\0`).join(''), 'latin1');
    const hash = createHash('sha256');
    let bytes = 0;
    await pipeline(
      output,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > MOST_BYTES_EACH) throw new Error('it is larger than 2 GiB');
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(target, { mode: 0o600 }),
    );
    await ended;
    syncToDisk(target);
    return { digest: hash.digest('hex'), bytes };
  }

  return {
    /**
     * Restores the setup's files, or leaves the checkout clean. `fault` says why a kept setup could not be
     * used.
     */
    async take(): Promise<{ isTaken: boolean; fault?: string }> {
      if (key === undefined) return { isTaken: false };
      const entry = setupEntry(files, key);
      const about = readAbout(entry);
      if (!about || about.roots.some((root) => crossesLink(root, links!))) return { isTaken: false };
      try {
        const { input, ended } = run(UNPACK);
        const hash = createHash('sha256');
        await pipeline(
          createReadStream(join(entry, 'content')),
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              hash.update(chunk);
              yield chunk;
            }
          },
          input,
        );
        await ended;
        if (hash.digest('hex') !== about.digest) throw new Error('it is damaged');
        touchSetup(entry);
        return { isTaken: true };
      } catch (error) {
        if (canceled.aborted) return { isTaken: false };
        remove(entry);
        await clean();
        return { isTaken: false, fault: messageOf(error) };
      }
    },

    /** Returns the reason when the result was not kept. */
    async keep(): Promise<string | undefined> {
      if (!started.trusted_base) return "the build continues from a coder's commits";
      if (key === undefined) return 'there is no lock file';
      const entry = setupEntry(files, key);
      const unfinished = `${entry}.${process.pid}.new`;
      try {
        mkdirSync(unfinished, { recursive: true, mode: 0o700 });
        if (!hasRoom(unfinished)) return 'the disk is almost full';
        const roots = await listMade();
        if (roots.length === 0) return 'it makes no files that git ignores';
        const packed = await pack(roots, join(unfinished, 'content'));
        writeWhole(join(unfinished, 'about.json'), JSON.stringify({ ...packed, roots }), 0o600);
        remove(entry);
        renameSync(unfinished, entry);
        evictSetups(files);
        return undefined;
      } catch (error) {
        return messageOf(error);
      } finally {
        remove(unfinished);
      }
    },
  };
}

const messageOf = (error: unknown): string => (error as Error).message.replace(/^error: /, '');

/** The oldest supported Node has no `statfsSync`. */
function hasRoom(folder: string): boolean {
  if (typeof fs.statfsSync !== 'function') return true;
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize >= ROOM_BYTES;
}

const keyOf = (parts: unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

type CacheFiles = Pick<DeskFiles, 'cache'>;

const MOST_BYTES_EACH = 2 * 1024 ** 3;
const BOUNDS = { entries: 20, bytes: 8 * 1024 ** 3 };
const UNFINISHED_MS = 24 * 60 * 60_000;

interface About {
  digest: string;
  bytes: number;
  /** Top-level paths as in the checkout. */
  roots: string[];
}

/** Inside the cache folder, which uninstall removes. */
const setupFolder = ({ cache }: CacheFiles): string => join(cache, 'setup');
export const setupEntry = (files: CacheFiles, key: string): string => join(setupFolder(files), key);

/** Undefined when there is no description; removes an entry whose description is unreadable. */
export function readAbout(entry: string): About | undefined {
  const text = readIfThere(join(entry, 'about.json'));
  const { digest, bytes, roots } = parseObject(text ?? '') ?? {};
  const size = statSync(join(entry, 'content'), { throwIfNoEntry: false })?.size;
  if (typeof digest === 'string' && bytes === size && size !== undefined && isNames(roots))
    return { digest, bytes: size, roots };
  remove(entry);
  return undefined;
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

export const touchSetup = (entry: string): void => {
  const now = new Date();
  utimesSync(entry, now, now);
};

export function evictSetups(files: CacheFiles, bounds = BOUNDS): void {
  const folder = setupFolder(files);
  const all = readdirSync(folder).flatMap((name) => {
    const entry = join(folder, name);
    const usedAt = statSync(entry, { throwIfNoEntry: false })?.mtimeMs;
    return usedAt === undefined ? [] : [{ name, entry, usedAt }];
  });
  let entries = 0;
  let bytes = 0;
  for (const { name, entry, usedAt } of all.sort((one, other) => other.usedAt - one.usedAt)) {
    if (!/^[0-9a-f]{64}$/.test(name)) {
      // An interrupted build left it behind.
      if (name.endsWith('.new') && Date.now() - usedAt > UNFINISHED_MS) remove(entry);
      continue;
    }
    entries += 1;
    bytes += readAbout(entry)?.bytes ?? 0;
    if (entries > bounds.entries || bytes > bounds.bytes) remove(entry);
  }
}

/** Files that pin every package a checkout needs, for each package manager. */
const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|go\.work\.sum|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|requirements[^/]*\.txt|Gemfile\.lock|composer\.lock|mix\.lock|rebar\.lock|pubspec\.lock|Podfile\.lock|Package\.resolved|packages\.lock\.json|gradle\.lockfile)$/;

const MOST_LINKS = 10_000;
/** Longer than any path that git can check out here. */
const LONGEST_ENTRY = 64 * 1024;

interface LockedTree {
  /** Digest of all lock files; undefined without any. */
  digest: string | undefined;
  /** Paths of all links; undefined when there are too many to check. */
  links: string[] | undefined;
}

/** Reads the output of `git ls-tree -r -z` as a stream, because it can be large. */
export async function readLockedTree(output: AsyncIterable<Buffer>): Promise<LockedTree> {
  const hash = createHash('sha256');
  const links: string[] = [];
  let locks = 0;
  let rest = '';
  for await (const chunk of output) {
    // Keep the bytes as they are: names are only compared, never shown.
    const entries = (rest + chunk.toString('latin1')).split('\0');
    rest = entries.pop() ?? '';
    if (rest.length > LONGEST_ENTRY) throw new Error('a path of the tree is too long');
    for (const entry of entries) {
      const [, mode, object, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      if (path === undefined) continue;
      if (mode === '120000' && links.length <= MOST_LINKS) links.push(path);
      if (!LOCK_FILE.test(path)) continue;
      locks += 1;
      hash.update(`${object} ${path}\0`);
    }
  }
  return {
    digest: locks === 0 ? undefined : hash.digest('hex'),
    links: links.length > MOST_LINKS ? undefined : links,
  };
}

/** Whether writing to the path would go through a link or replace one. */
export function crossesLink(path: string, links: readonly string[]): boolean {
  const place = path.replace(/\/+$/, '');
  return links.some((link) => link === place || place.startsWith(`${link}/`) || link.startsWith(`${place}/`));
}
