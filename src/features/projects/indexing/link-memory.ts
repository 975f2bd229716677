import { type Language, languageOf } from '../../../code/languages/languages.js';
import type { TreeFile } from '../git/tree.js';

/** How the files of a pass were linked, so that the next one links again what read something that changed. */
export interface LinkMemory {
  /** By file, in the order of paths. */
  files: { path: string; blob: string; reads: Int32Array; languages: readonly Language[]; steps: number }[];
}

/** The files to link again; undefined when all of them are: a name that comes or goes may mean something to anybody. */
export function findAffected(
  known: LinkMemory,
  files: readonly TreeFile[],
  touched: ReadonlySet<string>,
): number[] | undefined {
  if (known.files.length !== files.length) return undefined;
  const changed = new Set<number>();
  const languages = new Set<Language>();
  for (const [file, { path, blob }] of files.entries()) {
    const before = known.files[file]!;
    if (before.path !== path) return undefined;
    if (before.blob === blob && !touched.has(path)) continue;
    const language = languageOf(path);
    if (language === 'manifest') return undefined;
    changed.add(file);
    if (language) languages.add(language);
  }
  if (changed.size === 0) return [];
  return [...files.keys()].filter((file) => {
    const { reads, languages: read } = known.files[file]!;
    return (
      changed.has(file) ||
      reads.some((other) => changed.has(other)) ||
      read.some((language) => languages.has(language))
    );
  });
}

/** Steps of the files that are not linked again. */
export function stepsBeside({ files }: LinkMemory, again: readonly number[]): number {
  let steps = 0;
  for (const file of files) steps += file.steps;
  for (const file of again) steps -= files[file]?.steps ?? 0;
  return steps;
}
