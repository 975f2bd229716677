import type { MemberCaller } from '../../../kernel/access.js';
import { isUuid } from '../../../kernel/ids.js';
import { isObject } from '../../../kernel/is-object.js';
import type { Tx } from '../../../platform/database/database.js';
import type { GuestAccess } from '../docs-spaces/docs-spaces.schemas.js';
import { boardsAnswerInvalid } from '../workspaces.errors.js';

/** What the guests of a workspace ask the boards. Answers come from another part of the house and are not taken on trust. */
export interface GuestBoards {
  /** One item per guest and board: `{user_id, resource_id, name, role}`. */
  listGuestBoards(brandId: number): Promise<unknown>;
  /** The board, held until the transaction ends, if the caller may look at it. */
  holdGuestBoard(tx: Tx, caller: MemberCaller, boardId: string): Promise<{ name: string }>;
  /** Takes the person off every board of the workspace; the number of boards. */
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
