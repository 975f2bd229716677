import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';

/** A WireGuard key is an X25519 key, 32 bytes in base64. */
export function newMeshKey(): string {
  const { d } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return Buffer.from(d ?? '', 'base64url').toString('base64');
}

const PRIVATE_KEY_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

export function meshPublicKey(privateKey: string): string {
  const der = Buffer.concat([PRIVATE_KEY_PREFIX, Buffer.from(privateKey, 'base64')]);
  const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  });
  return Buffer.from(x ?? '', 'base64url').toString('base64');
}
