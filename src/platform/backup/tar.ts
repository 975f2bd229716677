/** The part of the tar format (POSIX ustar with pax records) that a backup needs. */

export interface TarEntry {
  name: string;
  kind: 'file' | 'link' | 'folder';
  size: number;
  mode: number;
  modified: number;
  target: string;
}

export const BLOCK = 512;
const LONGEST_NAME = 100;
const LARGEST_SIZE = 0o77777777777;
/** Much longer than any path. Longer records are rejected. */
const LARGEST_RECORD = 64 * 1024;
const TYPE_OF = { file: '0', link: '2', folder: '5' } as const;
const KIND_OF = new Map(
  Object.entries(TYPE_OF).map(([kind, type]) => [type as string, kind as TarEntry['kind']]),
);

export const TAR_END = Buffer.alloc(2 * BLOCK);

export const paddingAfter = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

export function tarHeader(entry: TarEntry): Buffer {
  const long: [string, string][] = [];
  if (Buffer.byteLength(entry.name) > LONGEST_NAME) long.push(['path', entry.name]);
  if (Buffer.byteLength(entry.target) > LONGEST_NAME) long.push(['linkpath', entry.target]);
  if (entry.size > LARGEST_SIZE) long.push(['size', String(entry.size)]);
  const own = headerBlock(entry, TYPE_OF[entry.kind]);
  if (long.length === 0) return own;
  const records = Buffer.concat(long.map(([key, value]) => paxRecord(key, value)));
  const before = headerBlock({ ...entry, name: 'long-names', size: records.length, target: '' }, 'x');
  return Buffer.concat([before, records, paddingAfter(records.length), own]);
}

function headerBlock({ name, size, mode, modified, target }: TarEntry, type: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
  Buffer.from(name).copy(block, 0, 0, LONGEST_NAME);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size > LARGEST_SIZE ? 0 : size, 124, 12);
  octal(Math.max(0, modified), 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  Buffer.from(target).copy(block, 157, 0, LONGEST_NAME);
  block.write('ustar\x0000', 257, 'latin1');
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** The length at the start of a record includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

const checksum = (block: Buffer): number => block.reduce((sum, byte) => sum + byte, 0);

/** Returns exactly `size` bytes, or fewer at the end of the file. */
type TakeBytes = (size: number) => Promise<Buffer>;

/** Reads the next header and leaves the content unread. Returns undefined at the end. */
export async function readTarHeader(take: TakeBytes): Promise<TarEntry | undefined> {
  const long = new Map<string, string>();
  for (;;) {
    const block = await take(BLOCK);
    if (block.length < BLOCK) throw new Error('it ends too early');
    if (block.every((byte) => byte === 0)) return undefined;
    const { type, ...entry } = parseHeader(block);
    if (type !== 'x') return completed(entry, type, long);
    if (entry.size > LARGEST_RECORD) throw new Error('a header is too long');
    const records = await take(entry.size + paddingAfter(entry.size).length);
    for (const [key, value] of parseRecords(records.subarray(0, entry.size))) long.set(key, value);
  }
}

function completed(entry: Omit<TarEntry, 'kind'>, type: string, long: Map<string, string>): TarEntry {
  const kind = KIND_OF.get(type);
  if (!kind) throw new Error(`an entry is of the unknown type ${type}`);
  return {
    ...entry,
    kind,
    name: long.get('path') ?? entry.name,
    target: long.get('linkpath') ?? entry.target,
    size: Number(long.get('size') ?? entry.size),
  };
}

function parseHeader(block: Buffer): Omit<TarEntry, 'kind'> & { type: string } {
  const text = (offset: number, length: number) => {
    const field = block.subarray(offset, offset + length);
    const end = field.indexOf(0);
    return field.subarray(0, end === -1 ? length : end).toString('utf8');
  };
  const octal = (offset: number, length: number) => Number.parseInt(text(offset, length).trim() || '0', 8);
  const blank = Buffer.from(block);
  blank.write('        ', 148, 'latin1');
  if (text(257, 5) !== 'ustar' || octal(148, 8) !== checksum(blank)) throw new Error('a header is damaged');
  return {
    name: text(0, LONGEST_NAME),
    mode: octal(100, 8),
    size: octal(124, 12),
    modified: octal(136, 12),
    type: text(156, 1),
    target: text(157, LONGEST_NAME),
  };
}

function* parseRecords(bytes: Buffer): Generator<[string, string]> {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, space).toString('latin1'));
    if (space === -1 || !(length > 0) || at + length > bytes.length) throw new Error('a header is damaged');
    const record = bytes.subarray(space + 1, at + length - 1).toString('utf8');
    const equals = record.indexOf('=');
    yield [record.slice(0, equals), record.slice(equals + 1)];
    at += length;
  }
}
