import type http from 'node:http';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import { mayDial, OutgoingRefused, readAddress, resolveOutgoing } from './outgoing-address.js';

/** What whoever dials an address that somebody else wrote goes by. */
export interface DialRules {
  /** Networks beside the internet that may be dialled. */
  networks: BlockList;
  allowsHttp: boolean;
  resolve?: ((name: string) => Promise<string[]>) | undefined;
}

/** Why an address is not dialled, as far as it shows in how it is written. The rules may have become stricter since it was saved. */
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

/** Whoever dials gets the addresses that may be dialled, and no others. */
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

/** A kept connection that the other side had closed says nothing about who is there. */
export const wasClosedBefore = (request: http.ClientRequest, error: Error): boolean =>
  request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

export const isUntrusted = (error: Error): boolean =>
  /CERT|SELF_SIGNED|UNABLE_TO|TLS|SSL|ALTNAME/.test((error as NodeJS.ErrnoException).code ?? '');
