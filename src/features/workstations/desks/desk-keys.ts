import type { DeskCaller } from '../../../kernel/access.js';
import { isWellFormedToken, sha256Hex } from '../../../kernel/secrets.js';
import type { Db } from '../../../platform/database/database.js';
import { DESK_TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import { findDeskByToken, type KeptToken } from './desks.store.js';
import { listOldKeys, moveKey } from './fleet.store.js';

export type DeskKeys = ReturnType<typeof createDeskKeys>;

const purposeOf = (deskId: string) => `desk:${deskId}`;
const PAGE = 500;

/** Identifies a desk by its token, and is not usable as a proof. */
const lookupOf = (tokenHash: string): string => sha256Hex(`guildhall desk ${tokenHash}`);

/**
 * The key between the service and a desk is the SHA-256 of the desk's token. That hash is a secret, because
 * it proves orders that a desk executes as root, so the database holds it sealed.
 */
export function createDeskKeys(secrets: SecretBox) {
  const keep = (deskId: string, tokenHash: string) => ({
    token_lookup: lookupOf(tokenHash),
    key_sealed: secrets.seal(tokenHash, purposeOf(deskId)),
  });

  const move = (db: Db, deskId: string, tokenHash: string): Promise<void> =>
    moveKey(db, deskId, tokenHash, keep(deskId, tokenHash));

  return {
    keep: (deskId: string, pat: string) => keep(deskId, sha256Hex(pat)),

    proofKey: ({ desk_id, token_hash, key_sealed }: KeptToken): string =>
      key_sealed === null ? token_hash! : secrets.open(key_sealed, purposeOf(desk_id)),

    /** Changes only with the token. */
    markOf: ({ token_hash, token_lookup }: KeptToken): string => token_lookup ?? lookupOf(token_hash!),

    lookupsOf(pat: string): { tokenHash: string; tokenLookup: string } {
      const tokenHash = sha256Hex(pat);
      return { tokenHash, tokenLookup: lookupOf(tokenHash) };
    },

    move,

    async moveAll(db: Db, signal?: AbortSignal): Promise<void> {
      for (let after: string | null = null; !signal?.aborted; ) {
        const page = await listOldKeys(db, after, PAGE);
        for (const { desk_id, token_hash } of page) await move(db, desk_id, token_hash);
        if (page.length < PAGE) return;
        after = page.at(-1)!.desk_id;
      }
    },
  };
}

/** Nothing is cached, so a replaced token is rejected at once. */
export function deskAuthenticator(db: Db, keys: DeskKeys) {
  return async (token: string): Promise<DeskCaller | undefined> => {
    if (!isWellFormedToken(DESK_TOKEN_PREFIX, token)) return undefined;
    const { tokenHash, tokenLookup } = keys.lookupsOf(token);
    const desk = await findDeskByToken(db, tokenLookup, tokenHash);
    if (desk?.is_old) await keys.move(db, desk.desk_id, tokenHash);
    return desk && { kind: 'desk', brandId: desk.brand_id, deskId: desk.desk_id };
  };
}
