import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { notFound } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { Log } from '../../../kernel/log.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import { IMAGE_CONTENT_TYPES, type ImageFormat, sniffImage } from '../../../platform/images/image-format.js';
import { type ImageStore, ImageStoreUnreachable, type StoredImage } from '../../../platform/images/images.js';
import { drawPicture } from '../../../platform/images/pictures.js';
import { type IdentityService, memberNotFound } from '../../identity/index.js';
import {
  imagesNotConfigured,
  imagesUnreachable,
  notAPhoto,
  photoHasTooManyPixels,
  photoTooLarge,
} from '../workspaces.errors.js';
import { memberStore, photoUrl } from './members.store.js';

export const LARGEST_PHOTO = 5 * 1024 * 1024;

export type MemberPhotoService = ReturnType<typeof createMemberPhotoService>;

interface PhotoOptions {
  db: Db;
  clock: Clock;
  images: ImageStore;
  log: Log;
  identity: Pick<IdentityService, 'members'>;
}

export function createMemberPhotoService({ db, clock, images, log, identity }: PhotoOptions) {
  /** Returns the previous key, so that its object can be deleted. */
  function changePointer(caller: MemberCaller, userId: number, key: string | null): Promise<string | null> {
    return inTransaction(db, async (tx) => {
      const before = await identity.members.changePhoto(tx, caller.brandId, userId, key);
      await recordAudit(tx, {
        brandId: caller.brandId,
        actor: caller,
        action: key === null ? 'member.photo-removed' : 'member.photo-changed',
        subject: `user:${userId}`,
        at: clock.now(),
      });
      return before;
    });
  }

  /** A failure is only logged, because the object is unreachable and merely takes up space. */
  async function discard(key: string | null): Promise<void> {
    if (key === null) return;
    await images
      .delete(key)
      .catch((fault) => log.warn({ err: fault, key }, 'An old photo could not be deleted'));
  }

  async function requireMember(
    brandId: number,
    userId: number | undefined,
  ): Promise<[number, string | null]> {
    const key = userId === undefined ? undefined : await memberStore(db, brandId).findPhotoKey(userId);
    if (userId === undefined || key === undefined) throw memberNotFound();
    return [userId, key];
  }

  return {
    async setPhoto(
      caller: MemberCaller,
      user: number | undefined,
      file: { bytes: Buffer; tooLarge: boolean },
    ) {
      const format = sniffPhoto(file.bytes);
      if (!format) throw notAPhoto();
      if (file.tooLarge) throw photoTooLarge();
      const photo = await cleanPhoto(caller.brandId, file.bytes, format);
      const [userId] = await requireMember(caller.brandId, user);
      if (!images.configured) throw imagesNotConfigured();

      const key = `members/${caller.brandId}/${userId}/${newId()}`;
      await images.put(key, photo, IMAGE_CONTENT_TYPES[format]).catch(refuseUnreachable);
      try {
        await discard(await changePointer(caller, userId, key));
      } catch (fault) {
        await discard(key);
        throw fault;
      }
      return { photo: photoUrl(caller.brandId, userId) };
    },

    async removePhoto(caller: MemberCaller, user: number | undefined) {
      const [userId, key] = await requireMember(caller.brandId, user);
      if (key !== null) await discard(await changePointer(caller, userId, null));
      return { photo: null };
    },

    async readPhoto(brandId: number, user: number | undefined): Promise<{ image: StoredImage; tag: string }> {
      const [, key] = await requireMember(brandId, user);
      if (key === null) throw notFound();
      if (!images.configured) throw imagesNotConfigured();
      const image = await images.get(key).catch(refuseUnreachable);
      if (!image) throw notFound();
      return { image, tag: `"${key.slice(key.lastIndexOf('/') + 1)}"` };
    },
  };
}

function refuseUnreachable(fault: unknown): never {
  throw fault instanceof ImageStoreUnreachable ? imagesUnreachable() : fault;
}

export type PhotoFormat = Exclude<ImageFormat, 'webp'>;

/** Limits the unpacked size, because a small file can contain a very large picture. */
const MOST_PIXELS: Record<PhotoFormat, number> = { png: 40e6, jpeg: 40e6, gif: 100e6 };

export function sniffPhoto(bytes: Buffer): PhotoFormat | undefined {
  const format = sniffImage(bytes);
  return format === 'webp' ? undefined : format;
}

/** Removes all metadata (location, camera, comments). */
export async function cleanPhoto(brandId: number, bytes: Buffer, format: PhotoFormat): Promise<Buffer> {
  const answer = await drawPicture(brandId, {
    source: bytes,
    format,
    mostPixels: MOST_PIXELS[format],
    // The other formats are kept byte for byte after they have been decoded as a check.
    ...(format === 'jpeg' && { as: { format, quality: 92 } }),
  });
  if ('refused' in answer)
    throw answer.refused === 'too_many_pixels' ? photoHasTooManyPixels(MOST_PIXELS[format]) : notAPhoto();
  try {
    if (format === 'png') return stripPng(bytes);
    return format === 'gif' ? stripGif(bytes) : Buffer.from(answer.bytes);
  } catch {
    throw notAPhoto();
  }
}

const PNG_HEAD = 8;
/** Length (4 bytes), type (4) and checksum (4) around the data of a PNG chunk. */
const PNG_FRAME = 12;
const PNG_PICTURE = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST sPLT acTL fcTL fdAT cICP'.split(' '),
);

function stripPng(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, PNG_HEAD)];
  for (let at = PNG_HEAD, name = ''; name !== 'IEND'; ) {
    const end = at + PNG_FRAME + bytes.readUInt32BE(at);
    name = bytes.toString('latin1', at + 4, at + 8);
    if (PNG_PICTURE.has(name)) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

const GIF = { extension: 0x21, image: 0x2c, trailer: 0x3b, control: 0xf9, application: 0xff };
const GIF_HEAD = 13;
const GIF_IMAGE_HEAD = 10;

function stripGif(bytes: Buffer): Buffer {
  let at = GIF_HEAD + colourTable(bytes[10]!);
  const kept = [bytes.subarray(0, at)];
  while (at < bytes.length && bytes[at] !== GIF.trailer) {
    const start = at;
    if (bytes[at] === GIF.extension) {
      at = afterSubBlocks(bytes, at + 2);
      if (belongsToPicture(bytes, start)) kept.push(bytes.subarray(start, at));
    } else if (bytes[at] === GIF.image) {
      // The one byte is the LZW code size between the color table and the data.
      at = afterSubBlocks(bytes, at + GIF_IMAGE_HEAD + colourTable(bytes[at + 9]!) + 1);
      kept.push(bytes.subarray(start, at));
    } else {
      throw new RangeError('A block of the picture is of no known kind');
    }
  }
  return Buffer.concat([...kept, Buffer.from([GIF.trailer])]);
}

const colourTable = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0);

/** True for extensions with frame durations or the number of repetitions. */
function belongsToPicture(bytes: Buffer, extension: number): boolean {
  const label = bytes[extension + 1];
  const application = bytes.toString('latin1', extension + 3, extension + 14);
  return (
    label === GIF.control ||
    (label === GIF.application && (application === 'NETSCAPE2.0' || application === 'ANIMEXTS1.0'))
  );
}

function afterSubBlocks(bytes: Buffer, first: number): number {
  let at = first;
  for (let size = bytes.readUInt8(at); size > 0; size = bytes.readUInt8(at)) at += 1 + size;
  return at + 1;
}
