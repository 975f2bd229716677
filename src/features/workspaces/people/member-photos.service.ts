import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { notFound } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { Log } from '../../../kernel/log.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import { IMAGE_CONTENT_TYPES } from '../../../platform/images/image-format.js';
import { type ImageStore, ImageStoreUnreachable, type StoredImage } from '../../../platform/images/images.js';
import { type IdentityService, memberNotFound } from '../../identity/index.js';
import { imagesNotConfigured, imagesUnreachable, notAPhoto, photoTooLarge } from '../workspaces.errors.js';
import { memberStore, photoUrl } from './members.store.js';
import { cleanPhoto, sniffPhoto } from './photo-bytes.js';

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
  /** The pointer and its audit row; answers the key that was there before. */
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

  /** Nobody can see the object any more; one that cannot be deleted only takes up room. */
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

    /** The picture and a tag that changes with it. */
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
