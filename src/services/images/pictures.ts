import type { ChildProcess } from 'node:child_process';
import { Gate } from '../../kernel/gate.js';
import { startProcess } from '../workers/worker-entry.js';
import type { PictureAnswer, PictureWish } from './picture.worker.js';

/** Unpacking takes memory and a core; the others wait. */
const atWork = new Gate(2);

/**
 * Draws a picture in a process of its own: the library is native code that reads what strangers send. Should it fall, or never
 * come to an end, then that picture is none, and nobody else notices; what it needed of memory goes with it.
 */
export const drawPicture = (
  wish: PictureWish,
  { start = () => startProcess(import.meta.url, './picture.worker'), longestMs = 30_000 } = {},
): Promise<PictureAnswer> => atWork.pass(() => answerOf(start(), wish, longestMs));

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
