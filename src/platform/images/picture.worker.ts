import sharp from 'sharp';

/** What is to be made of a picture. */
export interface PictureWish {
  /** Where it lies, or its bytes. */
  source: string | Uint8Array;
  /** What it has to be. */
  format: PictureFormat;
  /** A few hundred kilobytes can unfold into gigabytes. */
  mostPixels: number;
  /** Cut to a square, or made to fit into one; as large as it is where nothing is said. */
  square?: { side: number; fit: 'cover' | 'inside' };
  /** What shows through where it is transparent. */
  background?: string;
  /** Nothing: it only has to decode, with all of its frames. */
  as?: { format: 'jpeg' | 'webp'; quality: number };
}

export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif';
export type PictureAnswer = { bytes: Uint8Array } | { refused: 'too_many_pixels' | 'not_a_picture' };

async function draw(wish: PictureWish): Promise<PictureAnswer> {
  try {
    const picture = sharp(wish.source, {
      limitInputPixels: wish.mostPixels,
      failOn: 'error',
      sequentialRead: true,
      animated: !wish.as,
    });
    const { format } = await picture.metadata();
    if ((format === 'heif' ? 'avif' : format) !== wish.format) return { refused: 'not_a_picture' };
    if (!wish.as) {
      await picture.resize(1, 1, { fit: 'fill' }).raw().toBuffer();
      return { bytes: new Uint8Array() };
    }
    // It may be meant to be turned, and only its EXIF says so.
    picture.rotate();
    if (wish.square) {
      const { side, fit } = wish.square;
      picture.resize(side, side, { fit, position: 'centre', withoutEnlargement: fit === 'inside' });
    }
    if (wish.background !== undefined) picture.flatten({ background: wish.background });
    const { format: made, quality } = wish.as;
    return { bytes: await picture.toFormat(made, { quality }).toBuffer() };
  } catch (error) {
    const isLarge = /pixel limit/i.test((error as Error).message);
    return { refused: isLarge ? 'too_many_pixels' : 'not_a_picture' };
  }
}

process.once('message', async (wish: PictureWish) => {
  process.send!(await draw(wish), () => process.disconnect());
});
