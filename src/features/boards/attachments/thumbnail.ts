import type { PictureFormat } from '../../../services/images/picture.worker.js';
import { drawPicture } from '../../../services/images/pictures.js';

const SIDE = 480;
/** A camera's picture is well below this. */
const MOST_PIXELS = 60_000_000;

/** A small picture of the picture, without what tells of its making; undefined for one that cannot be drawn, or not now. */
export async function drawThumbnail(path: string, contentType: string): Promise<Buffer | undefined> {
  const answer = await drawPicture({
    source: path,
    format: contentType.replace('image/', '') as PictureFormat,
    mostPixels: MOST_PIXELS,
    square: { side: SIDE, fit: 'inside' },
    as: { format: 'webp', quality: 80 },
  }).catch(() => undefined);
  return answer && 'bytes' in answer ? Buffer.from(answer.bytes) : undefined;
}
