import type { DeskCaller } from '../../../kernel/access.js';
import { isWellFormedToken } from '../../../kernel/secrets.js';
import type { Db } from '../../../platform/database/database.js';
import { DESK_TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { DeskKeys } from './desk-keys.js';
import { findDeskByToken } from './desks.store.js';

/** Recognises a desk by its token. Nothing is remembered, so a token that was replaced or released is dead at once. */
export function deskAuthenticator(
  db: Db,
  keys: DeskKeys,
): (token: string) => Promise<DeskCaller | undefined> {
  return async (token) => {
    if (!isWellFormedToken(DESK_TOKEN_PREFIX, token)) return undefined;
    const { tokenHash, tokenLookup } = keys.lookupsOf(token);
    const desk = await findDeskByToken(db, tokenLookup, tokenHash);
    if (desk?.is_old) await keys.move(db, desk.desk_id, tokenHash);
    return desk && { kind: 'desk', brandId: desk.brand_id, deskId: desk.desk_id };
  };
}
