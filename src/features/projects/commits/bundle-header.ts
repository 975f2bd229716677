import type { FileHandle } from 'node:fs/promises';

export interface BundleHeader {
  /** Commits that whoever reads the bundle must have already. */
  prerequisites: string[];
  refs: { name: string; commit: string }[];
  /** Where the pack begins. */
  length: number;
  /** How many objects the pack says it holds. */
  objects: number;
}

const MOST_BYTES = 64 * 1024;
const PACK_HEAD_BYTES = 12;
const PREREQUISITE = /^-([0-9a-f]{40})(?: .*)?$/;
const REF = /^([0-9a-f]{40}) (\S+)$/;

/** What a bundle says of itself; undefined when it is none that git here could have made. */
export async function readBundleHeader(file: FileHandle): Promise<BundleHeader | undefined> {
  const bytes = Buffer.alloc(MOST_BYTES + PACK_HEAD_BYTES);
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
    // Objects of another kind, or some left out, are not what a coder sends.
    else if (signature !== '# v3 git bundle' || line !== '@object-format=sha1') return undefined;
  }
  return header;
}

/** The lines before a pack that make a bundle of it. */
export const writeBundleHeader = (commit: string, ref: string): string =>
  `# v2 git bundle\n${commit} ${ref}\n\n`;
