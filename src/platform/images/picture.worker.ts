import sharp from 'sharp';

export interface PictureRequest {
  source: string | Uint8Array;
  format: PictureFormat;
  /** Limits memory, because a few hundred kilobytes can expand to gigabytes. */
  mostPixels: number;
  /** Crops to a square or fits into one. By default the size stays. */
  square?: { side: number; fit: 'cover' | 'inside' };
  background?: string;
  /** If undefined, the image is only checked by decoding all frames. */
  as?: { format: 'jpeg' | 'webp'; quality: number };
}

export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif';
export type PictureAnswer = { bytes: Uint8Array } | { refused: 'too_many_pixels' | 'not_a_picture' };

async function draw(request: PictureRequest): Promise<PictureAnswer> {
  try {
    const picture = sharp(request.source, {
      limitInputPixels: request.mostPixels,
      failOn: 'error',
      sequentialRead: true,
      animated: !request.as,
    });
    const { format } = await picture.metadata();
    if ((format === 'heif' ? 'avif' : format) !== request.format) return { refused: 'not_a_picture' };
    if (!request.as) {
      await picture.resize(1, 1, { fit: 'fill' }).raw().toBuffer();
      return { bytes: new Uint8Array() };
    }
    // Applies the EXIF orientation.
    picture.rotate();
    if (request.square) {
      const { side, fit } = request.square;
      picture.resize(side, side, { fit, position: 'centre', withoutEnlargement: fit === 'inside' });
    }
    if (request.background !== undefined) picture.flatten({ background: request.background });
    const { format: made, quality } = request.as;
    return { bytes: await picture.toFormat(made, { quality }).toBuffer() };
  } catch (error) {
    const isLarge = /pixel limit/i.test((error as Error).message);
    return { refused: isLarge ? 'too_many_pixels' : 'not_a_picture' };
  }
}

process.once('message', async (request: PictureRequest) => {
  process.send!(await draw(request), () => process.disconnect());
});
