import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

const plain = (address: string) => address.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');

/**
 * Returns the /64 of an IPv6 address, the smallest network assigned to a subscriber, or an IPv4 address
 * unchanged.
 */
export function addressOrNetwork(address: string): string {
  const bare = plain(address);
  if (!isIPv6(bare)) return bare;
  const [head = '', tail = ''] = new SocketAddress({ address: bare, family: 'ipv6' }).address.split('::');
  const [before, after] = [head, tail].map((groups) => (groups === '' ? [] : groups.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - before!.length - after!.length)).fill('0');
  return `${[...before!, ...zeros, ...after!].slice(0, 4).join(':')}::/64`;
}

/** Returns the network by which an anonymous caller is counted: /24 for IPv4 and /64 for IPv6. */
export function networkOf(address: string): string {
  const bare = plain(address);
  return isIPv4(bare) ? `${bare.slice(0, bare.lastIndexOf('.'))}.0/24` : addressOrNetwork(bare);
}

/**
 * A database URL may name several hosts:
 * `postgres://u:p@one:5432,two:5433/db?target_session_attrs=read-write`.
 */
interface DatabaseHosts {
  /** One URL per host, in the given order. */
  urls: [string, ...string[]];
  /** Whether to connect only to a host that accepts writes. */
  mustWrite: boolean;
}

const SHAPE = /^(postgres(?:ql)?:\/\/)((?:[^@/?]*@)?)([^/?]*)(\/[^?]*)?(?:\?(.*))?$/;
const ATTRIBUTE = 'target_session_attrs';
const ATTRIBUTES = ['any', 'read-write', 'primary'];

/** A fault does not repeat the URL, which may contain a password. */
export function readDatabaseUrl(url: string): DatabaseHosts | { fault: string } {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = SHAPE.exec(url) ?? [];
  if (!scheme) return { fault: 'must be a URL that begins with postgres:// or postgresql://' };
  const parameters = new URLSearchParams(query);
  const attribute = parameters.get(ATTRIBUTE);
  if (attribute !== null && !ATTRIBUTES.includes(attribute))
    return { fault: `must have ${ATTRIBUTE} any, read-write or primary, if it has it at all` };
  parameters.delete(ATTRIBUTE);
  const rest = attribute === null ? query : parameters.toString();
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${path}${rest && `?${rest}`}`);
  if (urls.length > 1 && hosts.split(',').some((host) => host === ''))
    return { fault: 'must name hosts as host:port, separated by commas' };
  if (!urls.every((each) => URL.canParse(each)))
    return { fault: 'must name hosts as host:port, separated by commas' };
  return {
    urls: urls as DatabaseHosts['urls'],
    mustWrite: attribute === null ? urls.length > 1 : attribute !== 'any',
  };
}

/** Returns one URL per replica. All replicas are equivalent. */
export function readReplicaUrl(url: string): Pick<DatabaseHosts, 'urls'> | { fault: string } {
  const parsed = readDatabaseUrl(url);
  if ('fault' in parsed) return parsed;
  return new RegExp(`[?&]${ATTRIBUTE}=`).test(url)
    ? { fault: `must have no ${ATTRIBUTE}: any of its hosts may answer` }
    : { urls: parsed.urls };
}

/** Removes the user name and password, for display. */
export const withoutCredentials = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');

/** Excluded from folding, because its upper case is a plain I, which would fold to `i`. */
const DOTLESS_I = 'ı';

/**
 * Lower, upper and lower case again unifies `ß`, `ẞ` and `SS`. Works letter by letter, because the lower case
 * of a sigma depends on its neighbors.
 */
const foldLetter = (letter: string): string =>
  letter === DOTLESS_I ? letter : letter.toLowerCase().toUpperCase().toLowerCase();

/** Applies NFKC and full case folding, so that texts that look the same are equal. */
export function foldText(text: string): string {
  let folded = '';
  for (const letter of text.normalize('NFKC')) folded += foldLetter(letter);
  return folded.normalize('NFKC');
}

const splitAddress = (email: string): [mailbox: string, domain: string] => {
  const at = email.lastIndexOf('@') + 1;
  return [email.slice(0, at), email.slice(at)];
};

/**
 * Returns the key that identifies an account and counts its sign-in attempts, regardless of spelling. Equal
 * keys do not prove that two addresses belong to one person: use `isSameAddress` for that.
 */
export function foldAccountName(email: string): string {
  const [mailbox, domain] = splitAddress(email);
  return foldText(/xn--/i.test(domain) ? mailbox + (domainToUnicode(domain) || domain) : email);
}

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const IS_ASCII = /^[\0-\x7f]*$/;

/** Returns a domain in ASCII (IDNA) and lower case. */
export function canonicalDomain(domain: string): string {
  const isPlain = IS_ASCII.test(domain) || domain.includes('%');
  return (isPlain ? '' : domainToASCII(domain)) || lowerAscii(domain);
}

/**
 * Whether mail to both addresses reaches the same mailbox. Only ASCII case and the spelling of the domain may
 * differ.
 */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [one, other].map((email) => {
    const [mailbox, domain] = splitAddress(email);
    return lowerAscii(mailbox) + canonicalDomain(domain);
  });
  return first === second;
}
