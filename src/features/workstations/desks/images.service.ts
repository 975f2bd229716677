import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.js';
import type { Db } from '../../../platform/database/database.js';
import type { UploadedFile } from '../../../platform/http/declaration/route.js';
import { sniffImage } from '../../../platform/images/image-format.js';
import { type ImageStore, ImageStoreUnreachable, type StoredImage } from '../../../platform/images/images.js';
import { drawPicture } from '../../../platform/images/pictures.js';
import {
  deskNotFound,
  imageEmpty,
  imageHasTooManyPixels,
  imageNotFound,
  imageStoreUnreachable,
  imagesNotConfigured,
  imageTooLarge,
  notAnImage,
} from '../workstations.errors.js';
import { deskStore } from './desks.store.js';
import { imageUrl } from './desks.views.js';

const SIDE = 256;
/** A small file can decompress to gigabytes. Camera pictures stay well below this limit. */
const MOST_PIXELS = 40_000_000;

export interface DeskImageOptions {
  db: Db;
  clock: Clock;
  images: ImageStore;
}

export type DeskImages = ReturnType<typeof createDeskImages>;

/** Published with the commit that removes the last reference to a picture. */
export const IMAGE_LEFT_CHANNEL = 'desk-image-left';

/** A desk has one photo, cropped to a square, without history. */
export function createDeskImages({ db, clock, images }: DeskImageOptions) {
  /** Nothing references the picture any more, so an unreachable storage only wastes space. */
  async function forget(key: string | null): Promise<void> {
    if (key === null || !images.configured) return;
    await images.delete(key).catch(() => undefined);
  }

  return {
    forget,

    /** Fails without storage, because the erasure of a workspace must not leave pictures behind. */
    async erase(key: string | null): Promise<void> {
      if (key !== null && images.configured) await images.delete(key);
    },

    async replace(brandId: number, deskId: string, file: UploadedFile | undefined) {
      const picture = await cropPicture(brandId, file);
      const desks = deskStore(db, brandId);
      await desks.get(deskId);
      if (!images.configured) throw imagesNotConfigured();
      const key = `desks/${deskId}/${randomBytes(12).toString('hex')}.jpg`;
      await reachable(() => images.put(key, picture, 'image/jpeg'));
      const replaced = await desks.replaceImage(deskId, key, clock.now());
      if (!replaced) {
        await forget(key);
        throw deskNotFound();
      }
      await forget(replaced.previous);
      return { env_id: deskId, image_url: imageUrl(deskId) };
    },

    async get(brandId: number, deskId: string): Promise<StoredImage> {
      const { image_key: key } = await deskStore(db, brandId).get(deskId);
      if (!images.configured) throw imagesNotConfigured();
      const image = key === null ? undefined : await reachable(() => images.get(key));
      if (!image) throw imageNotFound();
      return image;
    },

    async remove(brandId: number, deskId: string) {
      const replaced = await deskStore(db, brandId).replaceImage(deskId, null, clock.now());
      if (!replaced) throw deskNotFound();
      await forget(replaced.previous);
      return { env_id: deskId, image_url: null };
    },
  };
}

async function reachable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImageStoreUnreachable) throw imageStoreUnreachable();
    throw error;
  }
}

/** The file must decode as the format it claims. Metadata such as EXIF is dropped. */
async function cropPicture(brandId: number, file: UploadedFile | undefined): Promise<Buffer> {
  if (!file || file.bytes.length === 0) throw imageEmpty();
  if (file.tooLarge) throw imageTooLarge();
  const claimed = sniffImage(file.bytes);
  if (!claimed) throw notAnImage();
  const answer = await drawPicture(brandId, {
    source: file.bytes,
    format: claimed,
    mostPixels: MOST_PIXELS,
    square: { side: SIDE, fit: 'cover' },
    background: '#ffffff',
    as: { format: 'jpeg', quality: 85 },
  });
  if ('bytes' in answer) return Buffer.from(answer.bytes);
  throw answer.refused === 'too_many_pixels' ? imageHasTooManyPixels() : notAnImage();
}
