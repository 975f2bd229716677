import type { DeskCaller } from '../../../kernel/access.js';
import { isWellFormedToken, sha256Hex } from '../../../kernel/secrets.js';
import type { Db } from '../../../platform/database/database.js';
import { DESK_TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import { listOldKeys, moveKey } from './desk-keys.store.js';
import { findDeskByToken } from './desks.store.js';

/** What is kept of a desk's token; a desk from before has its hash, and nothing of the others. */
export interface KeptToken {
  desk_id: string;
  token_hash: string | null;
  token_lookup: string | null;
  key_sealed: string | null;
}

export type DeskKeys = ReturnType<typeof createDeskKeys>;

const placeOf = (deskId: string) => `desk:${deskId}`;
const PAGE = 500;

/** By which a desk is found; nothing can be proved with it. */
const lookupOf = (tokenHash: string): string => sha256Hex(`guildhall desk ${tokenHash}`);

/**
 * The key between the service and a desk is the SHA-256 of the desk's token, so that hash is a secret: with it orders
 * are proved that a desk carries out as root. The database holds it sealed.
 */
export function createDeskKeys(secrets: SecretBox) {
  const keep = (deskId: string, tokenHash: string) => ({
    tokenLookup: lookupOf(tokenHash),
    keySealed: secrets.seal(tokenHash, placeOf(deskId)),
  });

  async function move(db: Db, deskId: string, tokenHash: string): Promise<void> {
    await moveKey(db, { deskId, tokenHash, ...keep(deskId, tokenHash) });
  }

  return {
    keep: (deskId: string, pat: string) => keep(deskId, sha256Hex(pat)),

    proofKey: ({ desk_id, token_hash, key_sealed }: KeptToken): string =>
      key_sealed === null ? token_hash! : secrets.open(key_sealed, placeOf(desk_id)),

    /** Changes with the token, and with nothing else. */
    markOf: ({ token_hash, token_lookup }: KeptToken): string => token_lookup ?? lookupOf(token_hash!),

    lookupsOf(pat: string): { tokenHash: string; tokenLookup: string } {
      const tokenHash = sha256Hex(pat);
      return { tokenHash, tokenLookup: lookupOf(tokenHash) };
    },

    move,

    /** All desks from before, whether they ever speak up again or not. */
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
