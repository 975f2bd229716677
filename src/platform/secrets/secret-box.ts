import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { sha256Hex } from '../../kernel/secrets.js';

/** Encrypts secrets that must be read again, such as keys. The database stores only the sealed form. */
export interface SecretBox {
  /** `place` binds the secret to where it is stored. It does not open in another place. */
  seal(secret: string, place: string): string;
  open(sealed: string, place: string): string;
}

export class SecretNotOpened extends Error {
  override name = 'SecretNotOpened';
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The first key seals, and all keys open. Put a new key in front of the old ones. */
export function createSecretBox(keys: readonly [string, ...string[]]): SecretBox {
  const known = new Map(keys.map((key) => [idOf(key), cipherKey(key)]));
  const current = idOf(keys[0]);
  return {
    seal(secret, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, known.get(current)!, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(place));
      const hidden = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      const bytes = Buffer.concat([nonce, cipher.getAuthTag(), hidden]);
      return `v1.${current}.${bytes.toString('base64url')}`;
    },

    open(sealed, place) {
      const [version, id = '', text = ''] = sealed.split('.');
      const key = known.get(id);
      if (version !== 'v1' || !key)
        throw new SecretNotOpened('The secret was sealed with a key that is not here');
      const bytes = Buffer.from(text, 'base64url');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(place));
        decipher.setAuthTag(tag);
        const hidden = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(hidden), decipher.final()]).toString('utf8');
      } catch {
        throw new SecretNotOpened('The secret was altered, or moved from where it was sealed');
      }
    },
  };
}

/** Identifies a key without revealing it. */
const idOf = (key: string) => sha256Hex(`guildhall secret box ${key}`).slice(0, 12);

const cipherKey = (key: string) => Buffer.from(hkdfSync('sha256', key, '', 'guildhall secret box', 32));
