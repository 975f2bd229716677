import type { ChildProcess } from 'node:child_process';
import { FairQueue } from '../../kernel/fair-queue.js';
import { startProcess } from '../workers/worker-entry.js';
import type { PictureAnswer, PictureWish } from './picture.worker.js';

/** Decoding takes memory and a core. One workspace never has both places: a large picture keeps only its own waiting. */
const decoding = new FairQueue({ places: 2, mostPerKey: 1 });

/**
 * Draws a picture in a process of its own: the library is native code that reads what strangers send. Should it fall, or never
 * come to an end, then that picture is none, and nobody else notices; what it needed of memory goes with it.
 */
export const drawPicture = (
  brandId: number,
  wish: PictureWish,
  { start = () => startProcess(import.meta.url, './picture.worker'), longestMs = 30_000 } = {},
): Promise<PictureAnswer> => decoding.run(String(brandId), () => answerOf(start(), wish, longestMs));

function answerOf(child: ChildProcess, wish: PictureWish, longestMs: number): Promise<PictureAnswer> {
  let timer: NodeJS.Timeout;
  const answer = new Promise<PictureAnswer>((resolve, reject) => {
    const giveUp = () => resolve({ refused: 'not_a_picture' });
    timer = setTimeout(giveUp, longestMs);
    child.once('message', resolve);
    child.once('exit', giveUp);
    child.once('error', reject);
    // Whether it was heard is told by an answer or an end.
    child.send(wish, () => {});
  });
  return answer.finally(() => {
    clearTimeout(timer);
    child.kill('SIGKILL');
  });
}
