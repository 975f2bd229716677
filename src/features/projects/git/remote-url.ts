import { readHost } from '../../../platform/outgoing/outgoing-address.js';

export type Remote = NetworkRemote | { kind: 'path'; path: string };

export interface NetworkRemote {
  kind: 'https' | 'ssh';
  /** Rebuilt from its parts, so that git reads exactly what was checked. */
  url: string;
  host: string;
  port: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const unsafe = /[\u0000-\u001f\u007f]/;
const scpForm = /^([A-Za-z0-9_][\w.-]*)@(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*):([^\s:][^\s]*)$/;
const sshUser = /^[A-Za-z0-9_][\w.+-]*$/;

export function readRemote(text: string): Remote | undefined {
  if (text.trim() === '' || text.startsWith('-') || text.length > 2000 || unsafe.test(text)) return undefined;
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) return readUrl(text);
  if (text.includes('::') && !scpForm.test(text)) return undefined;
  const scp = scpForm.exec(text);
  if (scp) return readScp(scp[1]!, scp[2]!, scp[3]!);
  const colon = text.indexOf(':');
  const slash = text.indexOf('/');
  if (colon >= 0 && (slash < 0 || colon < slash)) return undefined;
  return { kind: 'path', path: text };
}

/** The name of an SSH host in a known-hosts file, with its port unless 22. */
export const hostKeyName = ({ host, port }: NetworkRemote): string =>
  port === 22 ? host : `[${host.replace(/^\[|\]$/g, '')}]:${port}`;

function readScp(user: string, written: string, path: string): Remote | undefined {
  const host = readHost(written);
  if (host === undefined || path.startsWith('-')) return undefined;
  return { kind: 'ssh', url: `${user}@${host}:${path}`, host, port: 22 };
}

function readUrl(text: string): Remote | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = readHost(url.hostname);
  if (host === undefined || host.startsWith('-') || url.password !== '') return undefined;
  if (url.pathname.length < 2 || url.pathname.startsWith('/-')) return undefined;
  if (url.protocol === 'https:' && url.username === '') {
    const port = Number(url.port || 443);
    return { kind: 'https', url: `https://${host}${portOf(url)}${url.pathname}${url.search}`, host, port };
  }
  // Without a user ssh would send the name of the service account.
  const user = url.username || 'git';
  if (url.protocol !== 'ssh:' || !sshUser.test(user)) return undefined;
  const port = Number(url.port || 22);
  return { kind: 'ssh', url: `ssh://${user}@${host}${portOf(url)}${url.pathname}`, host, port };
}

const portOf = ({ port }: URL) => (port === '' ? '' : `:${port}`);

/** Git appends `.lock` to each part as a file name, and file systems allow 255 bytes. */
const LONGEST_PART_BYTES = 250;

/** A strict subset of git's rules for branch names. */
export function isBranchName(name: string): boolean {
  if (name === '' || name.length > 200 || unsafe.test(name) || /[\s~^:?*[\\]|\.\.|@\{|\/\//.test(name))
    return false;
  if (/^[-/.]|[/.]$|\.lock$/.test(name) || name === '@') return false;
  return !name
    .split('/')
    .some(
      (part) =>
        part.startsWith('.') || part.endsWith('.lock') || Buffer.byteLength(part) > LONGEST_PART_BYTES,
    );
}
