/** Sidecars report a fingerprint of their code since this version; what an older one sends there means nothing. */
const FIRST_WITH_DIGEST = '0.2.10';

interface Version {
  numbers: number[];
  preRelease: boolean;
}

function readVersion(text: string): Version | undefined {
  const parts = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[^+]*)?(?:\+.*)?$/.exec(text);
  if (!parts) return undefined;
  return { numbers: parts.slice(1, 4).map((part) => Number(part ?? 0)), preRelease: parts[4] !== undefined };
}

/** A version that cannot be read is older than nothing. */
export function reportsDigest(version: string | null): boolean {
  const found = version === null ? undefined : readVersion(version);
  const first = readVersion(FIRST_WITH_DIGEST)!;
  if (!found) return true;
  const at = found.numbers.findIndex((number, index) => number !== first.numbers[index]);
  return at === -1 ? !found.preRelease : found.numbers[at]! > first.numbers[at]!;
}
