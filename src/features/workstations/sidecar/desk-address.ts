import { type BlockList, isIPv4 } from 'node:net';
import type { Mesh } from '../../../platform/mesh/mesh.js';
import { readAddress, readNetworks } from '../../../platform/outgoing/outgoing-address.js';

/** With a mesh, a desk is reached at its mesh address only. Without one, on loopback and in DESK_NETWORKS. */
export type DeskNetworkRule = { mesh: true; address: string | null } | { mesh: false; networks: BlockList };

export interface DeskTarget {
  protocol: 'http:' | 'https:';
  /** A literal address, because a name could resolve differently between the check and the connection. */
  address: string;
  port: number;
  /** Path prefix without a trailing slash. */
  path: string;
}

type AddressJudgement = { target: DeskTarget } | { fault: string };

const LONGEST_URL = 2048;

const LOOPBACK = ['127.0.0.0/8', '::1'];

export const deskNetworks = (named: readonly string[]): BlockList => readNetworks([...LOOPBACK, ...named]);

/** Checks only the form, which does not depend on the desk. */
export function parseDeskUrl(text: string): AddressJudgement {
  if (text.length > LONGEST_URL) return { fault: `must have at most ${LONGEST_URL} characters` };
  // The URL parser accepts blanks, control characters and backslashes, so the dialed address could differ
  // from the text.
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

/** Checks form and network. Called before a URL is stored and again before each call. */
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

/** Localhost is the only accepted name, because it needs no resolver. */
const literalAddress = (hostname: string): string | undefined =>
  hostname === 'localhost' ? '127.0.0.1' : readAddress(hostname);

export type NetworkRuleOf = (desk: { mesh_address: string | null }) => DeskNetworkRule;

export function networkRules(mesh: Mesh, named: readonly string[]): NetworkRuleOf {
  const networks = deskNetworks(named);
  return (desk) => (mesh.network ? { mesh: true, address: desk.mesh_address } : { mesh: false, networks });
}
