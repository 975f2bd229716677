import { createHash } from 'node:crypto';
import fs, { createReadStream, createWriteStream, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DeskFiles, remove, syncToDisk, writeWhole } from '../desk-files.js';
import type { Cell } from '../runner/isolation.js';
import type { BuildFolder } from '../spool/build-folder.js';
import type { StartedBuild } from '../work/build-protocol.js';
import { startScript } from './cell-script.js';
import { crossesLink, readLockedTree } from './lock-files.js';
import { evictSetups, MOST_BYTES_EACH, readAbout, setupEntry, touchSetup } from './setup-entries.js';

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
/** What is not as the commit has it would be missing where only the rest is put back. */
const LIST = `cd "$GIT_WORK_TREE" || exit 1
[ -z "$(git status --porcelain | head -c 1)" ] || { echo 'error: it leaves files that git does not ignore' >&2; exit 1; }
git ls-files --others --ignored --exclude-standard --directory -z`;
const PACK = 'cd "$GIT_WORK_TREE" && tar -c --null -T - -f -';
/** Read to its end: tar stops where the archive says so, and what is written to a program that has ended is lost with an error. */
const UNPACK = `cd "$GIT_WORK_TREE" && tar -x --no-same-owner -f - && cat >/dev/null && [ -z "$(git status --porcelain | head -c 1)" ]`;
const CLEAN = 'cd "$GIT_WORK_TREE" && git reset --hard --quiet && git clean -ffdxq';

/**
 * What a setup made of a checkout, kept for the next build with the same lock files. Reading and writing are done by the
 * build's own user; what it reads and writes through is root's, so no build changes what another one gets.
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
     * Whether everything is there as the setup would have made it; else the checkout is as it was. `fault` says why
     * what was kept is of no use.
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

    /** Answers why it was not kept; undefined when it was. */
    async keep(): Promise<string | undefined> {
      if (!started.trusted_base) return "the build goes on from a coder's commits";
      if (key === undefined) return 'there is no lock file';
      const entry = setupEntry(files, key);
      const unfinished = `${entry}.${process.pid}.new`;
      try {
        mkdirSync(unfinished, { recursive: true, mode: 0o700 });
        if (!hasRoom(unfinished)) return 'there is little room left on the disk';
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

/** The oldest Node that a desk may have cannot tell. */
function hasRoom(folder: string): boolean {
  if (typeof fs.statfsSync !== 'function') return true;
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize >= ROOM_BYTES;
}

const keyOf = (parts: unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
