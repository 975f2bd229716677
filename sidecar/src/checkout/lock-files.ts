import { createHash } from 'node:crypto';

/** Files that name every package a checkout needs, by whichever tool. */
const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|go\.work\.sum|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|requirements[^/]*\.txt|Gemfile\.lock|composer\.lock|mix\.lock|rebar\.lock|pubspec\.lock|Podfile\.lock|Package\.resolved|packages\.lock\.json|gradle\.lockfile)$/;

const MOST_LINKS = 10_000;
/** Longer than any path that git checks out here. */
const LONGEST_ENTRY = 64 * 1024;

export interface LockedTree {
  /** Of the lock files, wherever they lie; undefined where there are none. */
  digest: string | undefined;
  /** Where the tree has links; undefined when there are more than anybody looks through. */
  links: string[] | undefined;
}

/** Reads what `git ls-tree -r -z` writes, whatever its size. */
export async function readLockedTree(output: AsyncIterable<Buffer>): Promise<LockedTree> {
  const hash = createHash('sha256');
  const links: string[] = [];
  let locks = 0;
  let rest = '';
  for await (const chunk of output) {
    // Byte by byte: a name is compared and never shown.
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

/** Whether something that is put at the path would be put through a link, or over one. */
export function crossesLink(path: string, links: readonly string[]): boolean {
  const place = path.replace(/\/+$/, '');
  return links.some((link) => link === place || place.startsWith(`${link}/`) || link.startsWith(`${place}/`));
}
