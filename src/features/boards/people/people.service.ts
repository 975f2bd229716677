import { withoutName } from '../../../kernel/former-member.js';
import { type PersonalPart, pagedPart } from '../../../kernel/personal-data.js';
import type { Db } from '../../../platform/database/database.js';
import { boardPersonStore } from './personal-data.store.js';

const ENTRIES_AT_ONCE = 1000;

/** What boards know about a person, and how they forget a name. Who wrote what is kept by id, so written work stays as it is. */
export const createBoardPeopleService = ({ db }: { db: Db }) => ({
  listPersonalParts(userId: number): PersonalPart[] {
    const store = boardPersonStore(db, userId);
    const idOf = ({ id }: { id: string }) => id;
    return [
      pagedPart('cards', idOf, store.listCards),
      pagedPart('comments', idOf, store.listComments),
      pagedPart('attachments', idOf, store.listAttachments),
      pagedPart('activity', idOf, store.listActivity),
    ];
  },

  /** An entry of the feed tells of an assignee or watcher by the name they had. Can be stopped and begun again. */
  async forgetPerson(userId: number, signal?: AbortSignal): Promise<void> {
    const store = boardPersonStore(db, userId);
    for (const boardId of await store.listBoards()) {
      for (let after = 0; ; ) {
        signal?.throwIfAborted();
        const { last, told } = await store.listTold(boardId, after, ENTRIES_AT_ONCE);
        if (last === null) break;
        if (told.length > 0)
          await store.rewrite(
            told.map((entry) => ({ ...entry, changes: withoutName(entry.changes, userId) })),
          );
        after = last;
      }
    }
  },
});
