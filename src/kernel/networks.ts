import { isIPv4, isIPv6, SocketAddress } from 'node:net';

const plain = (address: string) => address.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');

/** The /64 of an IPv6 address, which one person has at least. An IPv4 address stands for itself. */
export function addressOrNetwork(address: string): string {
  const bare = plain(address);
  if (!isIPv6(bare)) return bare;
  const [head = '', tail = ''] = new SocketAddress({ address: bare, family: 'ipv6' }).address.split('::');
  const [before, after] = [head, tail].map((groups) => (groups === '' ? [] : groups.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - before!.length - after!.length)).fill('0');
  return `${[...before!, ...zeros, ...after!].slice(0, 4).join(':')}::/64`;
}

/** The network that an unknown caller shares with its neighbors: /24 or /64. */
export function networkOf(address: string): string {
  const bare = plain(address);
  return isIPv4(bare) ? `${bare.slice(0, bare.lastIndexOf('.'))}.0/24` : addressOrNetwork(bare);
}
