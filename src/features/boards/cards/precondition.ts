/** `If-Match` holds for `*` and for a list that names the version; a weak tag or anything else never matches. */
export function matchesVersion(ifMatch: string | undefined, version: number): boolean {
  if (ifMatch === undefined) return true;
  return ifMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim() === versionTag(version));
}

export const versionTag = (version: number): string => `"${version}"`;

/** The lowest version that a caller believes in, or undefined when it named none. */
export function expectedVersion(ifMatch: string): number | undefined {
  const versions = [...ifMatch.matchAll(/"(\d{1,9})"/g)].map((match) => Number(match[1]));
  return versions.length > 0 ? Math.min(...versions) : undefined;
}
