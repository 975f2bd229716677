import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRunFolder } from './run-folder.js';

const TYPE = 'ssh-ed25519';
const BLOCK = 8;

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

export interface SshLine {
  environment: Record<string, string>;
  /** The host key as `<type> <key>`; undefined if the connection failed earlier. */
  readHostKey(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The known-hosts file contains one host, so any name works. */
const HOST = 'repository';

/** Turns off everything that ssh looks up itself: configuration, agents, other keys, prompts, forwarding. */
const ALONE = [
  '-F',
  '/dev/null',
  ...[
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PKCS11Provider=none',
    'PreferredAuthentications=publickey',
    'GlobalKnownHostsFile=/dev/null',
    'HashKnownHosts=no',
    'UpdateHostKeys=no',
    'VerifyHostKeyDNS=no',
    'CanonicalizeHostname=no',
    'ProxyCommand=none',
    'PermitLocalCommand=no',
    'ClearAllForwardings=yes',
    'ControlMaster=no',
    'ControlPath=none',
    'ConnectTimeout=60',
    'ServerAliveInterval=10',
    'ServerAliveCountMax=3',
    `HostKeyAlias=${HOST}`,
  ].flatMap((option) => ['-o', option]),
];

export async function layOutSsh(options: {
  folder: string;
  privateKey: string;
  /** The key the host must present; undefined accepts any key once. */
  pinned: string | undefined;
  address: string;
}): Promise<SshLine> {
  const { folder, privateKey, pinned, address } = options;
  const own = await openRunFolder(folder);
  const [key, knownHosts] = [join(own.path, 'key'), join(own.path, 'known_hosts')];
  await writeFile(key, privateKey, { mode: 0o600 });
  await writeFile(knownHosts, pinned === undefined ? '' : `${HOST} ${pinned}\n`, { mode: 0o600 });
  const command = [
    'ssh',
    ...ALONE,
    ...['-o', `IdentityFile=${asValue(key)}`],
    ...['-o', `UserKnownHostsFile=${asValue(knownHosts)}`],
    ...['-o', `StrictHostKeyChecking=${pinned === undefined ? 'accept-new' : 'yes'}`],
    ...['-o', `HostName=${address}`],
  ];
  return {
    environment: { GIT_SSH_COMMAND: command.map(forShell).join(' ') },
    async readHostKey() {
      const [, type, blob] = (await readFile(knownHosts, 'utf8')).trim().split(/\s+/);
      return type && blob ? `${type} ${blob}` : undefined;
    },
    close: own.close,
  };
}

/** Ssh ends a value at a space and expands percent signs. */
const asValue = (path: string) => `"${path.replaceAll('%', '%%')}"`;

const forShell = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
