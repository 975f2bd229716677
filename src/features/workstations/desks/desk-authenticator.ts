import type { Db } from '../../../database/database.js';
import { DESK_TOKEN_PREFIX } from '../../../http/authentication.js';
import type { DeskCaller } from '../../../kernel/access.js';
import { isWellFormedToken, sha256Hex } from '../../../kernel/secrets.js';
import { findDeskByToken } from './desks.store.js';

/** Recognises a desk by its token. Nothing is remembered, so a token that was replaced or released is dead at once. */
export function deskAuthenticator(db: Db): (token: string) => Promise<DeskCaller | undefined> {
  return async (token) => {
    if (!isWellFormedToken(DESK_TOKEN_PREFIX, token)) return undefined;
    const desk = await findDeskByToken(db, sha256Hex(token));
    return desk && { kind: 'desk', brandId: desk.brand_id, deskId: desk.desk_id };
  };
}
