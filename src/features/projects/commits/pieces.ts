import { open } from 'node:fs/promises';

const PIECE_BYTES = 1024 * 1024;

/** A file, piece by piece. */
export async function* readPieces(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
