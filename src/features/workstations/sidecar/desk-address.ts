import { type BlockList, isIPv4 } from 'node:net';
import { readAddress, readNetworks } from '../../../platform/outgoing/outgoing-address.js';

/** Where desks may be reached: in the mesh only at their own mesh address, without a mesh on loopback and in named networks. */
export type DeskNetworkRule = { mesh: true; address: string | null } | { mesh: false; networks: BlockList };

export interface DeskTarget {
  protocol: 'http:' | 'https:';
  /** A literal address, never a name: nothing is left for a resolver to change between check and dial. */
  address: string;
  port: number;
  /** Path prefix without a slash at its end. */
  path: string;
}

export type AddressJudgement = { target: DeskTarget } | { fault: string };

const LONGEST_URL = 2048;

const LOOPBACK = ['127.0.0.0/8', '::1'];

export const deskNetworks = (named: readonly string[]): BlockList => readNetworks([...LOOPBACK, ...named]);

/** Judges the form alone; it does not depend on the desk. */
export function parseDeskUrl(text: string): AddressJudgement {
  if (text.length > LONGEST_URL) return { fault: `must have at most ${LONGEST_URL} characters` };
  // The URL parser forgives blanks, controls and backslashes; what is dialled should read as it was written.
  if (/[\s\\\p{Cc}]/u.test(text))
    return { fault: 'must not contain blanks, backslashes or control characters' };
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return { fault: 'must be an http or https URL' };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text))
    return { fault: 'must not carry credentials' };
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return { fault: 'must not have a query or a fragment' };
  const address = literalAddress(url.hostname);
  if (!address) return { fault: 'must name the desk by its IP address' };
  const protocol = url.protocol as DeskTarget['protocol'];
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (port === 0) return { fault: 'must have a port that can be dialled' };
  return { target: { protocol, address, port, path: url.pathname.replace(/\/+$/, '') } };
}

/** Judges form and place: the one gate before a URL is stored and again before it is dialled. */
export function judgeDeskUrl(text: string, rule: DeskNetworkRule): AddressJudgement {
  const judgement = parseDeskUrl(text);
  if ('fault' in judgement) return judgement;
  const { address } = judgement.target;
  if (rule.mesh) {
    return rule.address !== null && address === rule.address
      ? judgement
      : { fault: "may only point to the desk's mesh address" };
  }
  return rule.networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
    ? judgement
    : { fault: 'may only point to loopback or to a network in DESK_NETWORKS' };
}

/** No other name than this one is looked up: what it means on this machine does not depend on anybody. */
const literalAddress = (hostname: string): string | undefined =>
  hostname === 'localhost' ? '127.0.0.1' : readAddress(hostname);
