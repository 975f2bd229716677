import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';

const TYPE = 'ssh-ed25519';
const BLOCK = 8;

/** A new Ed25519 key pair, both halves as OpenSSH writes them. */
export function makeSshKey(comment: string): { publicKey: string; privateKey: string } {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(jwk.d!, 'base64url');
  const point = Buffer.from(jwk.x!, 'base64url');
  const publicBlob = Buffer.concat([field(TYPE), field(point)]);
  return {
    publicKey: `${TYPE} ${publicBlob.toString('base64')} ${comment}`,
    privateKey: asOpenSshFile(publicBlob, point, seed, comment),
  };
}

/** As ssh shows it: `SHA256:…` over the key of a line `<type> <key> [comment]`. */
export function fingerprintOf(publicKey: string): string {
  const key = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The format is OpenSSH's `PROTOCOL.key`, without a passphrase. */
function asOpenSshFile(publicBlob: Buffer, point: Buffer, seed: Buffer, comment: string): string {
  const check = randomBytes(4);
  const secret = [
    check,
    check,
    field(TYPE),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ];
  const length = secret.reduce((sum, part) => sum + part.length, 0);
  const padding = Buffer.from(Array.from({ length: (BLOCK - (length % BLOCK)) % BLOCK }, (_, at) => at + 1));
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    Buffer.from([0, 0, 0, 1]),
    field(publicBlob),
    field(Buffer.concat([...secret, padding])),
  ]);
  const lines = body.toString('base64').match(/.{1,70}/g)!;
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join(
    '\n',
  );
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
