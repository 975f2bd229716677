/** The folders above a file, nearest first, the root last. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (
    let slash = path.lastIndexOf('/', path.length - 2);
    slash >= 0;
    slash = path.lastIndexOf('/', slash - 1)
  ) {
    folders.push(path.slice(0, slash + 1));
    if (slash === 0) break;
  }
  folders.push('/');
  return folders;
}

/**
 * Which new folder a vanished one became: the one that most of its moved files went to, seen from both sides.
 * `src/a/x.ts → lib/a/x.ts` speaks for `src/a/ → lib/a/` and for `src/ → lib/`.
 */
export function matchFolders(
  vanished: ReadonlySet<string>,
  appeared: ReadonlySet<string>,
  fileMoves: readonly { from: string; to: string }[],
): Map<string, string> {
  const votes = new Map<string, Map<string, number>>();
  for (const { from, to } of fileMoves) {
    for (const [old, fresh] of parallelFolders(from, to)) {
      if (!vanished.has(old) || !appeared.has(fresh)) continue;
      const tally = votes.get(old) ?? new Map<string, number>();
      votes.set(old, tally.set(fresh, (tally.get(fresh) ?? 0) + 1));
    }
  }
  const winners = new Map([...votes].flatMap(([old, tally]) => winnerOf(old, tally)));
  const claims = new Map<string, { old: string; votes: number; tied: boolean }>();
  for (const [old, fresh] of winners) {
    const count = votes.get(old)!.get(fresh)!;
    const known = claims.get(fresh);
    if (!known || known.votes < count) claims.set(fresh, { old, votes: count, tied: false });
    else if (known.votes === count) known.tied = true;
  }
  return new Map(
    [...claims].flatMap(([fresh, { old, tied }]): [string, string][] => (tied ? [] : [[fresh, old]])),
  );
}

function winnerOf(old: string, tally: ReadonlyMap<string, number>): [string, string][] {
  const [first, second] = [...tally].sort(([, one], [, other]) => other - one);
  return first && first[1] !== second?.[1] ? [[old, first[0]]] : [];
}

function parallelFolders(from: string, to: string): [string, string][] {
  const old = foldersAbove(from);
  const fresh = foldersAbove(to);
  const pairs: [string, string][] = [];
  for (let level = 0; level < Math.min(old.length, fresh.length) - 1; level++) {
    pairs.push([old[level]!, fresh[level]!]);
    if (lastPart(old[level]!) !== lastPart(fresh[level]!)) break;
  }
  return pairs;
}

function lastPart(folder: string): string {
  return folder.slice(folder.lastIndexOf('/', folder.length - 2) + 1);
}
