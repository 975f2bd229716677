import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net';

/** Finds the client behind trusted proxies. */
export interface Proxies {
  /** Returns the last address that is not a trusted proxy. */
  clientAddressOf(request: IncomingMessage): string;
  /** Whether the trusted proxy received the request over https. */
  cameByHttps(request: IncomingMessage): boolean;
  cameByProxy(request: IncomingMessage): boolean;
}

/** `networks` lists addresses or CIDRs. Only their forwarding headers are trusted. */
export function trustProxies(networks: readonly string[]): Proxies {
  const list = readNetworks(networks);
  const isTrusted = (address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  /** Cached per connection. */
  const peers = new WeakMap<Socket, { address: string | undefined }>();
  const peerOf = ({ socket }: IncomingMessage): string | undefined => {
    let peer = peers.get(socket);
    if (!peer) {
      peer = { address: plainAddress(socket.remoteAddress ?? '') };
      if (peer.address !== undefined) peers.set(socket, peer);
    }
    return peer.address;
  };
  const isFromTrusted = (request: IncomingMessage) => {
    const peer = peerOf(request);
    return peer !== undefined && isTrusted(peer);
  };

  return {
    clientAddressOf(request) {
      let address = peerOf(request);
      if (address === undefined) return 'unknown';
      const told = joined(request.headers['x-forwarded-for']);
      // Proxies append to the list, so it is read from the end until the first untrusted address.
      for (let rest = told; rest !== '' && isTrusted(address); ) {
        const comma = rest.lastIndexOf(',');
        const before = plainAddress(withoutPort(rest.slice(comma + 1).trim()));
        if (before === undefined) return address;
        address = before;
        rest = comma === -1 ? '' : rest.slice(0, comma);
      }
      return address;
    },
    cameByHttps(request) {
      const header = request.headers['x-forwarded-proto'];
      if (header === undefined) return false;
      const told = joined(header).split(',').at(-1)!;
      if (told.trim().toLowerCase() !== 'https') return false;
      return isFromTrusted(request);
    },
    cameByProxy: (request) => request.headers['x-forwarded-for'] !== undefined && isFromTrusted(request),
  };
}

const joined = (header: string | string[] | undefined = ''): string =>
  typeof header === 'string' ? header : header.join(',');

function readNetworks(written: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of written) {
    const [network = '', bits] = text.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    list.addSubnet(network, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return list;
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;

/** Returns a canonical spelling, so that one address cannot count twice against a limit. */
function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const bare = text.replace(/%.*$/, '');
  if (!isIPv6(bare)) return undefined;
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  return mapped ?? address;
}
