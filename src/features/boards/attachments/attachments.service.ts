import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf, actorOf, showActor } from '../../../kernel/actors.js';
import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { PLAN_TERMS } from '../../../kernel/plans.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { SpooledFile } from '../../../platform/http/declaration/route.js';
import { ImageStoreUnreachable } from '../../../platform/images/images.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { entryTime, recordActivity, writerOf } from '../activity/activity.js';
import { type BoardServiceOptions, lockBoardOfCard, openBoard, requireLevel } from '../board/board-access.js';
import type { LockedBoard } from '../board/boards.store.js';
import {
  attachmentNotFound,
  attachmentQuotaExceeded,
  cardNotFound,
  commentNotFound,
  fileEmpty,
  filesNotConfigured,
  filesUnreachable,
  fileTooLarge,
  neitherAttacherNorAdmin,
  notOnTheirComment,
  pictureHasNoThumbnail,
  tooManyAttachments,
} from '../boards.errors.js';
import { type Attachment, LARGEST_ATTACHMENT, MOST_ATTACHMENTS } from '../boards.schemas.js';
import { cardStore } from '../cards/cards.store.js';
import { answersFor, isAuthor } from '../comments/comments.service.js';
import { commentStore } from '../comments/comments.store.js';
import {
  cleanFileName,
  disposition,
  drawThumbnail,
  isPicture,
  mostMegapixels,
  readKind,
} from './attachment-files.js';
import { type AttachmentRow, attachmentStore, fileKeyOf, unusedFileStore } from './attachments.store.js';

/** Longer than any request can take. Files without an attachment are deleted afterwards. */
const GIVEN_UP_AFTER = HOUR;

/** A stored file that no attachment refers to yet. */
interface StoredFile {
  id: string;
  name: string;
  contentType: string;
  bytes: number;
  hasThumbnail: boolean;
}

interface Place {
  cardId: string;
  commentId: string | null;
}

export function createAttachmentService(options: BoardServiceOptions) {
  const { db, clock, images, jobs } = options;

  async function openBoardOf(caller: MemberCaller, cardId: string) {
    const boardId = await cardStore(db, caller.brandId).findBoardOfCard(cardId);
    if (!boardId) throw cardNotFound();
    return openBoard(db, caller, boardId);
  }

  async function permitAttachment(caller: MemberCaller, cardId: string): Promise<void> {
    const board = await openBoardOf(caller, cardId);
    requireLevel(caller, board.guest_level, 'commenter', 'attach files');
  }

  async function requireCapacity(store: ReturnType<typeof attachmentStore>, cardId: string): Promise<void> {
    const count = await store.countOf(cardId);
    if (count === undefined) throw cardNotFound();
    if (count >= MOST_ATTACHMENTS) throw tooManyAttachments(MOST_ATTACHMENTS);
  }

  async function requireOwnComment(tx: Tx | typeof db, caller: MemberCaller, { cardId, commentId }: Place) {
    if (commentId === null) return;
    const comment = await commentStore(tx, caller.brandId).findComment(cardId, commentId);
    if (!comment) throw commentNotFound();
    if (!isAuthor(caller, comment)) throw notOnTheirComment();
  }

  async function record(
    tx: Tx,
    caller: MemberCaller,
    board: LockedBoard,
    task: { id: string; ref: string; version: number },
    change: { from: string | null; to: string | null },
  ): Promise<void> {
    const changes = { attachment: change };
    const at = entryTime(board, clock);
    await recordActivity(options, tx, writerOf(caller), board, at, {
      action: 'task.updated',
      changes,
      task,
    });
  }

  return {
    permitAttachment,

    /** Stores the bytes. The sweep job deletes them if no attachment is recorded. */
    async storeFile(caller: MemberCaller, place: Place, file: SpooledFile): Promise<StoredFile> {
      if (file.tooLarge) throw fileTooLarge(LARGEST_ATTACHMENT);
      await permitAttachment(caller, place.cardId);
      if (file.bytes === 0) throw fileEmpty();
      if (!images.configured) throw filesNotConfigured();
      const store = attachmentStore(db, caller.brandId);
      await requireOwnComment(db, caller, place);
      await requireCapacity(store, place.cardId);
      const limit = PLAN_TERMS[caller.plan].attachmentBytes;
      const used = await store.countBytes();
      if (used + file.bytes > limit) throw attachmentQuotaExceeded(limit, used);

      const id = newId();
      const key = fileKeyOf(caller.brandId, id);
      const contentType = await readKind(file.path, file.bytes);
      await unusedFileStore(db).note(key, secondsFrom(clock.now(), GIVEN_UP_AFTER));
      const thumbnail = isPicture(contentType)
        ? await drawThumbnail(caller.brandId, file.path, contentType)
        : undefined;
      await reachable(async () => {
        if (thumbnail) await images.put(thumbnailKey(key), thumbnail, 'image/webp');
        await images.putFile(key, file, contentType);
      });
      const name = cleanFileName(file.name);
      return { id, name, contentType, bytes: file.bytes, hasThumbnail: thumbnail !== undefined };
    },

    async addAttachment(caller: MemberCaller, place: Place, file: StoredFile): Promise<Attachment> {
      const { brandId } = caller;
      return inTransaction(db, async (tx) => {
        const board = await lockBoardOfCard(tx, caller, place.cardId);
        requireLevel(caller, board.guest_level, 'commenter', 'attach files');
        const store = attachmentStore(tx, brandId);
        await requireOwnComment(tx, caller, place);
        await requireCapacity(store, place.cardId);
        const limit = PLAN_TERMS[caller.plan].attachmentBytes;
        if (!(await store.addBytes(file.bytes, limit)))
          throw attachmentQuotaExceeded(limit, await store.countBytes());
        if (!(await unusedFileStore(tx).claim(fileKeyOf(brandId, file.id)))) throw filesUnreachable();
        const at = entryTime(board, clock);
        const byGuest = caller.role === 'guest';
        const card = await store.insert({ ...file, ...place, author: actorIdsOf(caller), byGuest, at });
        if (!card) throw cardNotFound();
        await record(tx, caller, board, { id: place.cardId, ...card }, { from: null, to: file.name });
        return shown({
          id: file.id,
          task_id: place.cardId,
          comment_id: place.commentId,
          name: file.name,
          content_type: file.contentType,
          bytes: file.bytes,
          hasThumbnail: file.hasThumbnail,
          author: actorOf(caller),
          created_at: at.toISOString(),
          byGuest,
        });
      });
    },

    async listAttachments(caller: MemberCaller, cardId: string) {
      await openBoardOf(caller, cardId);
      const rows = await attachmentStore(db, caller.brandId).list(cardId);
      return { attachments: rows.map(toAttachment), total: rows.length };
    },

    listCardFiles: async (brandId: number, cardId: string): Promise<Attachment[]> =>
      (await attachmentStore(db, brandId).list(cardId)).map(toAttachment),

    async findAttachment(caller: MemberCaller, cardId: string, id: string): Promise<AttachmentRow> {
      await openBoardOf(caller, cardId);
      const found = await attachmentStore(db, caller.brandId).find(cardId, id);
      if (!found) throw attachmentNotFound();
      return found;
    },

    async openAttachment({ brandId }: MemberCaller, row: AttachmentRow, size: 'thumb' | undefined) {
      if (!images.configured) throw filesNotConfigured();
      const isSmall = size === 'thumb';
      if (isSmall && !row.has_thumbnail) throw noThumbnail(row.content_type);
      const key = fileKeyOf(brandId, row.id);
      const chunks = await reachable(() => images.open(isSmall ? thumbnailKey(key) : key));
      if (!chunks) throw attachmentNotFound();
      const kind = isPicture(row.content_type) ? 'inline' : 'attachment';
      return {
        chunks,
        contentType: isSmall ? 'image/webp' : row.content_type,
        headers: {
          'content-disposition': disposition(kind, row.name),
          ...(!isSmall && { 'content-length': String(row.bytes) }),
        },
      };
    },

    async deleteAttachment(caller: MemberCaller, cardId: string, id: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        const board = await lockBoardOfCard(tx, caller, cardId);
        requireLevel(caller, board.guest_level, 'commenter', 'delete files');
        const store = attachmentStore(tx, caller.brandId);
        const found = await store.find(cardId, id);
        if (!found) throw attachmentNotFound();
        if (!answersFor(caller, found) && caller.role !== 'admin') throw neitherAttacherNorAdmin();
        const card = (await store.delete(cardId, id))!;
        await record(tx, caller, board, { id: cardId, ...card }, { from: found.name, to: null });
        await jobs.trigger(tx, ATTACHMENT_SWEEP);
      });
    },
  };
}

const noThumbnail = (contentType: string) =>
  isPicture(contentType) ? pictureHasNoThumbnail(mostMegapixels(contentType)) : attachmentNotFound();

async function reachable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    throw fault instanceof ImageStoreUnreachable ? filesUnreachable() : fault;
  }
}

export const attachmentUrl = (cardId: string, id: string): string =>
  `/api/v1/board/tasks/${cardId}/attachments/${id}`;

function shown({
  hasThumbnail,
  byGuest,
  ...facts
}: Omit<Attachment, 'url' | 'thumbnail_url' | 'from_guest'> & {
  hasThumbnail: boolean;
  byGuest: boolean;
}): Attachment {
  const url = attachmentUrl(facts.task_id, facts.id);
  return {
    ...facts,
    url,
    thumbnail_url: hasThumbnail ? `${url}?size=thumb` : null,
    ...(byGuest && { from_guest: true as const }),
  };
}

const toAttachment = ({ card_id, has_thumbnail, by_guest, ...row }: AttachmentRow): Attachment =>
  shown({
    ...row,
    task_id: card_id,
    author: showActor(row.author),
    created_at: row.created_at.toISOString(),
    hasThumbnail: has_thumbnail,
    byGuest: by_guest,
  });

export const ATTACHMENT_SWEEP = 'attachment-sweep';

const BATCH = 20;
const AGAIN_AFTER = 5 * MINUTE;

export const thumbnailKey = (fileKey: string): string => `${fileKey}.thumb`;

export function createUnusedFileService({ db, clock, images, log }: BoardServiceOptions) {
  const remove = async (key: string): Promise<boolean> => {
    try {
      await images.delete(key);
      await images.delete(thumbnailKey(key));
      return true;
    } catch (fault) {
      log.warn({ err: fault, key }, 'A file could not be removed yet; it is tried again');
      return false;
    }
  };

  const sweepBatch = () =>
    inTransaction(db, async (tx) => {
      const store = unusedFileStore(tx);
      const keys = await store.lockDue(clock.now(), BATCH);
      const removed: string[] = [];
      for (const key of keys) if (await remove(key)) removed.push(key);
      const left = keys.filter((key) => !removed.includes(key));
      await store.remove(removed);
      await store.postpone(left, secondsFrom(clock.now(), AGAIN_AFTER));
      return { processed: removed.length, failed: left.length };
    });

  return {
    async sweepFiles({ signal }: { signal: AbortSignal }): Promise<JobResult> {
      const sum = { processed: 0, failed: 0 };
      for (let found = 1; found > 0; ) {
        signal.throwIfAborted();
        const { processed, failed } = await sweepBatch();
        sum.processed += processed;
        sum.failed += failed;
        found = processed + failed;
      }
      return sum;
    },
  };
}
