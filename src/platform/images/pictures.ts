import type { ChildProcess } from 'node:child_process';
import { FairQueue } from '../../kernel/fair-queue.js';
import { startProcess } from '../workers/worker-entry.js';
import type { PictureAnswer, PictureRequest } from './picture.worker.js';

/**
 * Decoding takes memory and a core. A workspace gets one of the two places, so that its large images delay
 * only its own.
 */
const decoding = new FairQueue({ places: 2, mostPerKey: 1 });

/**
 * Decodes an image in a separate process, because native code reads untrusted input. A crash or timeout only
 * rejects that image.
 */
export const drawPicture = (
  brandId: number,
  request: PictureRequest,
  { start = () => startProcess(import.meta.url, './picture.worker'), longestMs = 30_000 } = {},
): Promise<PictureAnswer> => decoding.run(String(brandId), () => answerOf(start(), request, longestMs));

function answerOf(child: ChildProcess, request: PictureRequest, longestMs: number): Promise<PictureAnswer> {
  let timer: NodeJS.Timeout;
  const answer = new Promise<PictureAnswer>((resolve, reject) => {
    const giveUp = () => resolve({ refused: 'not_a_picture' });
    timer = setTimeout(giveUp, longestMs);
    child.once('message', resolve);
    child.once('exit', giveUp);
    child.once('error', reject);
    // The response or the exit shows whether the message arrived.
    child.send(request, () => {});
  });
  return answer.finally(() => {
    clearTimeout(timer);
    child.kill('SIGKILL');
  });
}
