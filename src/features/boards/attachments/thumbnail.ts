import type { PictureFormat } from '../../../platform/images/picture.worker.js';
import { drawPicture } from '../../../platform/images/pictures.js';

const SIDE = 480;
/** Decoding takes at most about 500 MB: five bytes a pixel, and twenty of an AVIF. */
const MOST_MEGAPIXELS = 100;
const MOST_AVIF_MEGAPIXELS = 25;

export const mostMegapixels = (contentType: string): number =>
  contentType === 'image/avif' ? MOST_AVIF_MEGAPIXELS : MOST_MEGAPIXELS;

/** A small picture of the picture, without what tells of its making; undefined for one that cannot be drawn, or not now. */
export async function drawThumbnail(
  brandId: number,
  path: string,
  contentType: string,
): Promise<Buffer | undefined> {
  const answer = await drawPicture(brandId, {
    source: path,
    format: contentType.replace('image/', '') as PictureFormat,
    mostPixels: mostMegapixels(contentType) * 1e6,
    square: { side: SIDE, fit: 'inside' },
    as: { format: 'webp', quality: 80 },
  }).catch(() => undefined);
  return answer && 'bytes' in answer ? Buffer.from(answer.bytes) : undefined;
}
