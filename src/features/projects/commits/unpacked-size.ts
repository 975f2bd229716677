import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitRun } from '../git/git-program.js';

type Run = (args: readonly string[], options?: GitRun) => Promise<Buffer>;

const ID_BYTES = 20;
/** Signature, version, and 256 counts of which the last one is that of all objects. */
const HEAD_BYTES = 8 + 256 * 4;
const IDS_AT_ONCE = 2000;

/** How large the objects of a pack are when they are unpacked; read from their heads, without unpacking them, piece by piece. */
export async function measureUnpacked(run: Run, repository: string): Promise<number> {
  const packs = join(repository, 'objects', 'pack');
  const index = (await readdir(packs)).find((name) => name.endsWith('.idx'));
  if (!index) return 0;
  const names = join(repository, 'names');
  await writeNames(join(packs, index), names);
  const input = await open(names, 'r');
  let total = 0;
  let rest = '';
  try {
    await run(['cat-file', '--batch-check=%(objectsize)'], {
      input: input.fd,
      onOutput(chunk) {
        const lines = (rest + chunk.toString('latin1')).split('\n');
        rest = lines.pop()!;
        for (const line of lines) total += Number(line) || 0;
      },
    });
  } finally {
    await input.close();
  }
  return total;
}

/** The names of all objects of an index, a line each. */
async function writeNames(index: string, to: string): Promise<void> {
  const from = await open(index, 'r');
  const names = await open(to, 'wx', 0o600);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    await from.read(head, 0, HEAD_BYTES, 0);
    let left = head.readUInt32BE(HEAD_BYTES - 4);
    const piece = Buffer.alloc(IDS_AT_ONCE * ID_BYTES);
    for (let at = HEAD_BYTES; left > 0; ) {
      const { bytesRead } = await from.read(piece, 0, Math.min(left, IDS_AT_ONCE) * ID_BYTES, at);
      const count = Math.floor(bytesRead / ID_BYTES);
      if (count === 0) return;
      let text = '';
      for (let id = 0; id < count; id++)
        text += `${piece.toString('hex', id * ID_BYTES, (id + 1) * ID_BYTES)}\n`;
      await names.write(text);
      at += count * ID_BYTES;
      left -= count;
    }
  } finally {
    await names.close();
    await from.close();
  }
}
