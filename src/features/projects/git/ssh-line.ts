import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRunFolder } from './run-folder.js';

/** Everything one ssh connection may know: a key of the workspace, the host's key, and one address. */
export interface SshLine {
  environment: Record<string, string>;
  /** The host's key as ssh met it, `<type> <key>`; undefined when the connection did not come that far. */
  readHostKey(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The known-hosts file of a connection holds one host, so its name can be anything. */
const HOST = 'repository';

/** Nothing that ssh would find by itself: no configuration, no agent, no key of the account, nobody to ask, nothing forwarded. */
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

/** Lays out the files of one connection in a folder of its own; `close` removes them. */
export async function layOutSsh(options: {
  folder: string;
  privateKey: string;
  /** The key the host must show; undefined: whatever it shows is accepted, this once. */
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

/** A path as ssh reads values: blanks end one, and a percent sign begins a token. */
const asValue = (path: string) => `"${path.replaceAll('%', '%%')}"`;

const forShell = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
