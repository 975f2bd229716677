import { randomBytes } from 'node:crypto';
import type { Db } from '../../database/database.js';
import type { UploadedFile } from '../../http/route.js';
import type { Clock } from '../../kernel/clock.js';
import { sniffImage } from '../../services/image-format.js';
import { type ImageStore, ImageStoreUnreachable, type StoredImage } from '../../services/images.js';
import {
  deskNotFound,
  imageEmpty,
  imageHasTooManyPixels,
  imageNotFound,
  imageStoreUnreachable,
  imagesNotConfigured,
  imageTooLarge,
  notAnImage,
} from './workstations.errors.js';
import { deskStore } from './workstations.store.js';
import { imageUrl } from './workstations.views.js';

const SIDE = 256;
/** A few hundred kilobytes can unfold into gigabytes; a camera's picture is well below this. */
const MOST_PIXELS = 40_000_000;

/** The photo of a desk: one, cropped to a square, without history. */
export class DeskImages {
  constructor(private readonly options: { db: Db; clock: Clock; images: ImageStore }) {}

  async replace(brandId: number, deskId: string, file: UploadedFile | undefined) {
    const picture = await cropPicture(file);
    const desks = deskStore(this.options.db, brandId);
    if (!(await desks.find(deskId))) throw deskNotFound();
    if (!this.options.images.configured) throw imagesNotConfigured();
    const key = `desks/${deskId}/${randomBytes(12).toString('hex')}.jpg`;
    await reachable(() => this.options.images.put(key, picture, 'image/jpeg'));
    const replaced = await desks.replaceImage(deskId, key, this.options.clock.now());
    if (!replaced) {
      await this.forget(key);
      throw deskNotFound();
    }
    await this.forget(replaced.previous);
    return { env_id: deskId, image_url: imageUrl(deskId) };
  }

  async get(brandId: number, deskId: string): Promise<StoredImage> {
    const desk = await deskStore(this.options.db, brandId).find(deskId);
    if (!desk) throw deskNotFound();
    if (!this.options.images.configured) throw imagesNotConfigured();
    const key = desk.image_key;
    const image = key === null ? undefined : await reachable(() => this.options.images.get(key));
    if (!image) throw imageNotFound();
    return image;
  }

  async remove(brandId: number, deskId: string) {
    const replaced = await deskStore(this.options.db, brandId).replaceImage(
      deskId,
      null,
      this.options.clock.now(),
    );
    if (!replaced) throw deskNotFound();
    await this.forget(replaced.previous);
    return { env_id: deskId, image_url: null };
  }

  /** Nothing points there any more, so a storage that cannot be reached costs space and nothing else. */
  async forget(key: string | null): Promise<void> {
    if (key === null || !this.options.images.configured) return;
    await this.options.images.delete(key).catch(() => undefined);
  }
}

async function reachable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImageStoreUnreachable) throw imageStoreUnreachable();
    throw error;
  }
}

async function cropPicture(file: UploadedFile | undefined): Promise<Buffer> {
  if (!file || file.bytes.length === 0) throw imageEmpty();
  if (file.tooLarge) throw imageTooLarge();
  if (!sniffImage(file.bytes)) throw notAnImage();
  try {
    const { default: sharp } = await import('sharp');
    return await sharp(file.bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true })
      .rotate()
      .resize(SIDE, SIDE, { fit: 'cover', position: 'centre' })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 85 })
      .toBuffer();
  } catch (error) {
    throw /pixel limit/i.test((error as Error).message) ? imageHasTooManyPixels() : notAnImage();
  }
}
