import type { BuildDeps } from '../record/build-deps.js';
import { type Fence, type LogPiece, logStore } from './log.store.js';

/** How many batches of a workspace are written at once. Later pieces join the next batch. */
const AT_ONCE = 2;
const MOST_PIECES = 100;
const MOST_BYTES = 2 * 1024 * 1024;

interface Waiting {
  piece: LogPiece;
  fence: Fence;
  resolve(writtenAt: Date | undefined): void;
  reject(error: unknown): void;
}

interface Queue {
  waiting: Waiting[];
  writing: number;
  /** Builds with a piece in a running write, whose next piece must wait. */
  underWay: Set<string>;
}

/** Writes waiting pieces together, because a commit costs the same for one piece as for many. */
export function createAppendBatches({ db, clock }: Pick<BuildDeps, 'db' | 'clock'>) {
  const queues = new Map<number, Queue>();

  async function write(brandId: number, batch: Waiting[]): Promise<void> {
    const now = clock.now();
    const store = logStore(db, brandId);
    const single = ({ piece, fence, resolve, reject }: Waiting) =>
      store.tryAppend(piece, fence, now).then((isWritten) => resolve(isWritten ? now : undefined), reject);
    if (batch.length === 1) return single(batch[0]!);
    try {
      const written = await store.appendMany(batch, now);
      const left = batch.filter(({ piece }) => !written.has(piece.buildId));
      for (const { piece, resolve } of batch) if (written.has(piece.buildId)) resolve(now);
      // A locked build or a gap must not fail the others.
      await Promise.all(left.map(single));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function pump(brandId: number, queue: Queue): void {
    while (queue.writing < AT_ONCE && queue.waiting.length > 0) {
      const batch = takeBatch(queue);
      if (batch.length === 0) return;
      queue.writing += 1;
      void write(brandId, batch).finally(() => {
        queue.writing -= 1;
        for (const { piece } of batch) queue.underWay.delete(piece.buildId);
        pump(brandId, queue);
      });
    }
    if (queue.writing === 0) queues.delete(brandId);
  }

  return {
    /** Undefined when the piece is not the next one under this claim. */
    append: (brandId: number, piece: LogPiece, fence: Fence): Promise<Date | undefined> =>
      new Promise((resolve, reject) => {
        const queue = queues.get(brandId) ?? { waiting: [], writing: 0, underWay: new Set() };
        queues.set(brandId, queue);
        queue.waiting.push({ piece, fence, resolve, reject });
        pump(brandId, queue);
      }),
  };
}

function takeBatch(queue: Queue): Waiting[] {
  const batch: Waiting[] = [];
  const kept: Waiting[] = [];
  const { underWay } = queue;
  let bytes = 0;
  for (const waiting of queue.waiting) {
    const { piece } = waiting;
    const fits = batch.length < MOST_PIECES && (batch.length === 0 || bytes + piece.bytes <= MOST_BYTES);
    if (!fits || underWay.has(piece.buildId)) {
      kept.push(waiting);
      continue;
    }
    underWay.add(piece.buildId);
    bytes += piece.bytes;
    batch.push(waiting);
  }
  queue.waiting = kept;
  return batch;
}
