import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE_BYTES = 12;

/** Opaque positions handed to callers: signed, so that an altered or foreign one is recognised, and stateless, so that it survives restarts. */
export class CursorCodec {
  constructor(
    private readonly secret: string,
    /** What the cursor belongs to (for example `activity:<board_id>`); a cursor of another place does not verify here. */
    private readonly purpose: string,
  ) {}

  encode(position: unknown): string {
    const payload = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.#sign(payload), payload]).toString('base64url');
  }

  /** The position, or undefined when this codec did not issue the cursor. */
  decode(cursor: string): unknown {
    if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== cursor) return undefined;
    const payload = bytes.subarray(SIGNATURE_BYTES);
    if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.#sign(payload))) return undefined;
    return JSON.parse(payload.toString());
  }

  #sign(payload: Uint8Array): Buffer {
    return createHmac('sha256', this.secret)
      .update(this.purpose)
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}
