import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type DeskFiles, readIfThere, remove } from '../desk-files.js';
import { parseObject } from '../work/build-protocol.js';

type CacheFiles = Pick<DeskFiles, 'cache'>;

export const MOST_BYTES_EACH = 2 * 1024 ** 3;
const BOUNDS = { entries: 20, bytes: 8 * 1024 ** 3 };
const UNFINISHED_MS = 24 * 60 * 60_000;

interface About {
  digest: string;
  bytes: number;
  /** What lies at the top of it, as the checkout has it. */
  roots: string[];
}

/** Beside the repositories, in the folder that uninstall knows of. */
const setupFolder = ({ cache }: CacheFiles): string => join(cache, 'setup');
export const setupEntry = (files: CacheFiles, key: string): string => join(setupFolder(files), key);

/** Undefined where there is none; one that cannot be read is none, and goes. */
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

/** The one that was used last goes last. */
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
      // Left behind by a build that was cut off.
      if (name.endsWith('.new') && Date.now() - usedAt > UNFINISHED_MS) remove(entry);
      continue;
    }
    entries += 1;
    bytes += readAbout(entry)?.bytes ?? 0;
    if (entries > bounds.entries || bytes > bounds.bytes) remove(entry);
  }
}
