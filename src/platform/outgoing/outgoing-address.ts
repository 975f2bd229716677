import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type http from 'node:http';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Rules for calling addresses that users entered. A host is resolved to the addresses that may be dialed, and
 * exactly those are used. A check of the name alone fails because DNS can change, and a lookup hook alone
 * fails because literal addresses skip it.
 */

/** Parses networks named by the operator, each an address or a CIDR. */
export function readNetworks(written: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of written) {
    const [network = '', bits] = text.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    list.addSubnet(network, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return list;
}

/** Special-purpose networks and the metadata addresses of clouds. */
const SPECIAL = readNetworks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
]);
const GLOBAL_IPV6 = readNetworks(['2000::/3']);

export class OutgoingRefused extends Error {
  override name = 'OutgoingRefused';

  constructor(
    message: string,
    readonly because: 'no host' | 'no address' | 'not allowed',
  ) {
    super(message);
  }
}

/**
 * Returns the canonical form of a literal address in any spelling (`2130706433`, `0x7f.1`,
 * `[::ffff:7f00:1]`), or undefined for a name.
 */
export function readAddress(host: string): string | undefined {
  const name = readHost(host);
  if (name === undefined) return undefined;
  const bare = name.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 0) return undefined;
  const groups = isIPv4(bare) ? undefined : groupsOf(bare);
  return groups && isMapped(groups) ? embeddedIn(groups, 6) : bare;
}

/**
 * Returns the host as in the URL standard: lower case, punycode, plain IPv4, IPv6 in brackets, no trailing
 * dot.
 */
export function readHost(host: string): string | undefined {
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`;
  if (/[/?#@\\\s]/.test(host) || !URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  return port === '' ? hostname.replace(/\.$/, '') || undefined : undefined;
}

/** Whether an address is public or in a network that the operator named. */
export function mayDial(address: string, named: BlockList): boolean {
  if (isIPv4(address)) return named.check(address) || !SPECIAL.check(address);
  if (named.check(address, 'ipv6')) return true;
  const groups = groupsOf(address);
  // Addresses that embed an IPv4 address are checked by that address.
  if (isMapped(groups)) return mayDial(embeddedIn(groups, 6), named);
  if (isNat64(groups)) return mayDial(embeddedIn(groups, 6), named);
  if (groups[0] === 0x2002) return mayDial(embeddedIn(groups, 1), named);
  return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6');
}

/** Returns the addresses of a host that may be dialed, IPv4 first. Dial these without another lookup. */
export async function resolveOutgoing(
  host: string,
  named: BlockList,
  resolve: (name: string) => Promise<string[]> = resolveName,
): Promise<string[]> {
  const literal = readAddress(host);
  const name = readHost(host);
  if (name === undefined) throw new OutgoingRefused('This is no host', 'no host');
  const found = literal === undefined ? await resolve(name) : [literal];
  const allowed = found
    .flatMap((address) => readAddress(address) ?? [])
    .filter((address) => mayDial(address, named));
  if (found.length === 0) throw new OutgoingRefused('The host has no address', 'no address');
  if (allowed.length === 0) throw new OutgoingRefused('The address may not be dialled', 'not allowed');
  return allowed.sort((one, other) => isIP(one) - isIP(other));
}

const DNS_TIMEOUT_MS = 3000;
/** Names reserved for documentation, which never resolve. */
const NOBODYS = /(?:^|\.)(?:example|invalid)$/;
/** Names of cloud metadata services, rejected even when this machine cannot resolve them. */
const METADATA = /^(?:metadata(?:\.goog|\.google\.internal)?|instance-data(?:\.ec2\.internal)?)$/;
const METADATA_ADDRESS = '169.254.169.254';

/**
 * Uses the hosts file and DNS, because the system resolver would block a thread of the pool that file access
 * shares.
 */
async function resolveName(name: string): Promise<string[]> {
  const written = await findInHostsFile(name);
  if (written.length > 0) return written;
  if (NOBODYS.test(name)) return [];
  if (METADATA.test(name)) return [METADATA_ADDRESS];
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

async function findInHostsFile(name: string): Promise<string[]> {
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return names.some((candidate) => candidate.toLowerCase() === name) ? [address] : [];
  });
}

function groupsOf(address: string): number[] {
  const plain = new URL(`http://[${address.replace(/%.*/, '')}]/`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [left, right] = [read(head), read(tail ?? '')];
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

const isMapped = (groups: readonly number[]) =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

const isNat64 = (groups: readonly number[]) =>
  groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0);

function embeddedIn(groups: readonly number[], at: number): string {
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

export interface DialRules {
  networks: BlockList;
  allowsHttp: boolean;
  resolve?: ((name: string) => Promise<string[]>) | undefined;
}

/**
 * Returns why a URL must not be dialed, judged by its spelling. The rules may have become stricter since it
 * was saved.
 */
export function refusalOf(
  { networks, allowsHttp }: DialRules,
  { protocol, hostname }: URL,
): OutgoingRefused | undefined {
  if (protocol !== 'https:' && !(protocol === 'http:' && allowsHttp))
    return new OutgoingRefused('The address is not encrypted', 'not allowed');
  const literal = readAddress(hostname);
  return literal !== undefined && !mayDial(literal, networks)
    ? new OutgoingRefused('The address may not be dialled', 'not allowed')
    : undefined;
}

/** A lookup that returns only addresses that may be dialed. */
export const judgingLookup =
  ({ networks, resolve }: Pick<DialRules, 'networks' | 'resolve'>): LookupFunction =>
  (hostname, options, callback) => {
    resolveOutgoing(hostname, networks, resolve).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => callback(error, options.all ? [] : ''),
    );
  };

/** A closed keep-alive connection does not show that the peer is down. */
export const wasClosedBefore = (request: http.ClientRequest, error: Error): boolean =>
  request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

export const isUntrusted = (error: Error): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO|TLS|SSL|ALTNAME/.test((error as NodeJS.ErrnoException).code ?? '');
