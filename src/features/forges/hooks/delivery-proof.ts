import { createHmac, timingSafeEqual } from 'node:crypto';
import { isOneOfSecrets, randomSecret } from '../../../kernel/secrets.js';
import type { HookHeaders, HookReader } from '../adapter/hook-readers.js';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;
const LONGEST_TOKEN = 1000;

/** What a delivery shows for itself. */
export interface ShownProof {
  signature: Buffer | undefined;
  token: string | undefined;
}

/** Undefined when it shows nothing that could be right: nothing more is read of it then. */
export function readProof(headers: HookHeaders): ShownProof | undefined {
  const written = SIGNATURE.exec(headers('x-hub-signature-256') ?? '')?.[1];
  const token = headers('x-gitlab-token');
  const shown = {
    signature: written === undefined ? undefined : Buffer.from(written, 'hex'),
    token: token !== undefined && token !== '' && token.length <= LONGEST_TOKEN ? token : undefined,
  };
  return shown.signature || shown.token ? shown : undefined;
}

/** Judges a body as it comes in, with each of the secrets. Where there is none it does the same work and is never satisfied. */
export function createJudge(
  { signature, token }: ShownProof,
  secrets: readonly string[],
  proof: HookReader['proof'],
) {
  const tried = secrets.length > 0 ? secrets : [randomSecret()];
  const hmacs = tried.map((secret) => createHmac('sha256', secret));
  return {
    see(chunk: Buffer): void {
      for (const hmac of hmacs) hmac.update(chunk);
    },

    isSatisfied(): boolean {
      const shown = signature ?? Buffer.alloc(32);
      const isSigned = hmacs.map((hmac) => timingSafeEqual(hmac.digest(), shown)).includes(true);
      const isTold = isOneOfSecrets(token ?? '', tried);
      return secrets.length > 0 && (proof === 'token' ? isTold : isSigned && signature !== undefined);
    },
  };
}
