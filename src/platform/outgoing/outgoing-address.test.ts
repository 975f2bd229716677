import { describe, expect, it } from 'vitest';
import {
  mayDial,
  OutgoingRefused,
  readAddress,
  readHost,
  readNetworks,
  resolveOutgoing,
} from './outgoing-address.js';

const nothing = readNetworks([]);

describe('readAddress', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0X7F000001', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['[::ffff:7f00:1]', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['[2606:4700::1111]', '2606:4700::1111'],
  ])('parses %s as %s', (written, plain) => {
    expect(readAddress(written)).toBe(plain);
  });

  it.each(['example.test', 'localhost', '256.0.0.1', '1.2.3.4.5', 'fe80::1%eth0', 'a:b', '127.0.0.1:22', ''])(
    'returns undefined for %s',
    (written) => {
      expect(readAddress(written)).toBeUndefined();
    },
  );
});

describe('readHost', () => {
  it.each([
    ['Example.TEST.', 'example.test'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['0x7f.1', '127.0.0.1'],
    ['::1', '[::1]'],
  ])('reads %s as %s', (written, read) => {
    expect(readHost(written)).toBe(read);
  });

  it.each(['a/b', 'a@b', 'a b', 'a\\b', 'a%2fb', 'host:80', '.', ''])(
    'returns undefined for %s',
    (written) => {
      expect(readHost(written)).toBeUndefined();
    },
  );
});

describe('mayDial', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001::1',
    '2001:db8::1',
    'fd00:ec2::254',
    'fc00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ])('rejects %s', (address) => {
    expect(mayDial(address, nothing)).toBe(false);
  });

  it.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '169.253.0.1', '2606:4700::1111', '64:ff9b::101:101'])(
    'accepts %s',
    (address) => {
      expect(mayDial(address, nothing)).toBe(true);
    },
  );

  it('accepts the networks that the operator named, and no other private network', () => {
    const named = readNetworks(['127.0.0.0/8', '10.0.0.7', 'fd00::/8']);
    expect(
      ['127.0.0.1', '10.0.0.7', 'fd00::1', '::ffff:127.0.0.1'].map((one) => mayDial(one, named)),
    ).toEqual([true, true, true, true]);
    expect(['10.0.0.8', '::1', '169.254.169.254'].map((one) => mayDial(one, named))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('resolveOutgoing', () => {
  const answering =
    (...addresses: string[]) =>
    async () =>
      addresses;

  it('returns only the addresses that may be dialed, IPv4 first', async () => {
    const found = await resolveOutgoing(
      'git.example',
      nothing,
      answering('2606:4700::1111', '10.0.0.1', '1.1.1.1', '::ffff:127.0.0.1'),
    );
    expect(found).toEqual(['1.1.1.1', '2606:4700::1111']);
  });

  it.each([[['127.0.0.1']], [['169.254.169.254', 'fe80::1']], [[]]])(
    'rejects a name that resolves to %j',
    async (addresses) => {
      await expect(resolveOutgoing('git.example', nothing, answering(...addresses))).rejects.toThrow(
        OutgoingRefused,
      );
    },
  );

  it.each([
    'localhost',
    'localhost.',
    'LOCALHOST',
    'a.localhost',
    '2130706433',
    '0x7f.1',
    '[::ffff:7f00:1]',
    'metadata.google.internal',
    'instance-data',
    'a b',
  ])('rejects %s without a lookup', async (host) => {
    await expect(resolveOutgoing(host, nothing)).rejects.toThrow(OutgoingRefused);
  });

  it.each(['hooks.acme.example', 'nowhere.invalid'])('reports that %s has no address', async (host) => {
    await expect(resolveOutgoing(host, nothing)).rejects.toMatchObject({ because: 'no address' });
  });

  it('returns loopback for localhost when the operator named loopback', async () => {
    expect(await resolveOutgoing('localhost', readNetworks(['127.0.0.0/8']))).toEqual(['127.0.0.1']);
  });
});
