import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { isUuid } from '../../../kernel/ids.js';
import { isObject } from '../../../kernel/is-object.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { IdentityService } from '../../identity/index.js';
import { docsSpaceStore } from '../docs-spaces/docs-spaces.store.js';
import { boardsAnswerInvalid, guestNotFound } from '../workspaces.errors.js';
import type { Guest, GuestAccess } from '../workspaces.schemas.js';
import { type GuestPerson, guestStore } from './members.store.js';

/** The boards operations that this feature uses. Answers come from another service and are validated. */
export interface GuestBoards {
  /** One item per guest and board: `{user_id, resource_id, name, role}`. */
  listGuestBoards(brandId: number): Promise<unknown>;
  /** Locks the board until the transaction ends; throws if the caller has no access to it. */
  holdGuestBoard(tx: Tx, caller: MemberCaller, boardId: string): Promise<{ name: string }>;
  /** Returns the number of boards. */
  removeGuest(tx: Tx, brandId: number, userId: number): Promise<unknown>;
}

export type BoardAccess = GuestAccess & { user_id: number };

export function readBoardAccess(answer: unknown): BoardAccess[] {
  if (!Array.isArray(answer)) throw boardsAnswerInvalid();
  return answer.map(readItem);
}

function readItem(item: unknown): BoardAccess {
  if (!isObject(item)) throw boardsAnswerInvalid();
  const { user_id, resource_id, name, role } = item;
  if (
    typeof user_id !== 'number' ||
    !Number.isInteger(user_id) ||
    !isUuid(resource_id) ||
    typeof name !== 'string' ||
    (role !== null && typeof role !== 'string')
  ) {
    throw boardsAnswerInvalid();
  }
  return { user_id, kind: 'board', resource_id, name, role };
}

export function readBoardsRemoved(answer: unknown): number {
  if (typeof answer !== 'number' || !Number.isInteger(answer) || answer < 0) throw boardsAnswerInvalid();
  return answer;
}

export type GuestService = ReturnType<typeof createGuestService>;

interface GuestOptions {
  db: Db;
  clock: Clock;
  boards: Pick<GuestBoards, 'listGuestBoards' | 'removeGuest'>;
  identity: Pick<IdentityService, 'changeIdentities' | 'guests'>;
}

export function createGuestService({ db, clock, boards, identity }: GuestOptions) {
  return {
    async listGuests(brandId: number): Promise<Guest[]> {
      const [onBoards, inDocs] = await Promise.all([
        boards.listGuestBoards(brandId).then(readBoardAccess),
        docsSpaceStore(db, brandId).listGuestAccess(),
      ]);
      const accessByPerson = new Map<number, GuestAccess[]>();
      for (const { user_id, ...access } of [...onBoards, ...inDocs]) {
        const known = accessByPerson.get(user_id) ?? [];
        known.push(access);
        accessByPerson.set(user_id, known);
      }
      const people = await guestStore(db, brandId).listPeople([...accessByPerson.keys()]);
      return people.map((person) => ({
        ...person,
        image: null,
        access: accessByPerson.get(person.user_id)!,
      }));
    },

    listNames: (brandId: number, words: readonly string[]): Promise<GuestPerson[]> =>
      guestStore(db, brandId).listNames(words),

    /** The guest's content stays. */
    removeGuest(caller: MemberCaller, userId: number) {
      return identity.changeIdentities(async (tx) => {
        const person = await guestStore(tx, caller.brandId).findPerson(userId);
        if (!person || person.is_member) throw guestNotFound();
        const boards_removed = readBoardsRemoved(await boards.removeGuest(tx, caller.brandId, userId));
        const docs_removed = await identity.guests.revokeAccess(tx, caller.brandId, userId, { kind: 'docs' });
        if (boards_removed + docs_removed === 0) throw guestNotFound();
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'guest.removed',
          subject: `user:${userId}`,
          details: { boards_removed, docs_removed },
          at: clock.now(),
        });
        return { success: true, boards_removed, docs_removed };
      });
    },
  };
}
