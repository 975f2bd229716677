import { describe, expect, it } from 'vitest';
import { type DeskNetworkRule, deskNetworks, judgeDeskUrl } from './desk-address.js';

const mesh: DeskNetworkRule = { mesh: true, address: '10.77.0.5' };
const loopback: DeskNetworkRule = { mesh: false, networks: deskNetworks([]) };
const office: DeskNetworkRule = { mesh: false, networks: deskNetworks(['192.168.4.0/22', 'fd00:7::/32']) };

const isAllowed = (url: string, rule: DeskNetworkRule) => 'target' in judgeDeskUrl(url, rule);

const LOOPBACK_SPELLINGS = [
  'http://127.0.0.1:7717',
  'http://127.0.0.1',
  'http://127.1:7717',
  'http://127.0.1:7717',
  'http://2130706433:7717',
  'http://0x7f.1:7717',
  'http://0x7f000001:7717',
  'http://0177.0.0.1:7717',
  'http://017700000001:7717',
  'http://127.255.255.254:7717',
  'http://[::1]:7717',
  'http://[0:0:0:0:0:0:0:1]:7717',
  'http://[::ffff:7f00:1]:7717',
  'http://[::ffff:127.0.0.1]:7717',
  'http://localhost:7717',
  'http://LOCALHOST:7717',
  'HTTP://127.0.0.1:7717',
  'https://127.0.0.1:7717',
  'http://127.0.0.1:7717/desks/one',
];

const NEVER = [
  '',
  'nonsense',
  'ftp://127.0.0.1',
  'file:///etc/passwd',
  'gopher://127.0.0.1:70',
  'javascript:alert(1)',
  'http:127.0.0.1',
  'http:///127.0.0.1',
  '//127.0.0.1:7717',
  'http://user@127.0.0.1:7717',
  'http://user:secret@127.0.0.1:7717',
  'http://@127.0.0.1:7717',
  'http://127.0.0.1:7717@evil.example',
  'http://127.0.0.1:7717/?a=b',
  'http://127.0.0.1:7717/#x',
  'http://127.0.0.1:7717?',
  'http://127.0.0.1:99999',
  'http://127.0.0.1:0',
  'http://127.0.0.1 :7717',
  ' http://127.0.0.1:7717',
  'http://127.0.0.1:7717\n',
  'http://127.0.0.1\\@evil.example',
  'http:\\\\127.0.0.1',
  'http://evil.example',
  'http://localhost.evil.example:7717',
  'http://127.0.0.1.nip.io',
  'http://localhost.:7717/\u0000',
  'http://[::1',
  `http://127.0.0.1/${'a'.repeat(2100)}`,
];

const ELSEWHERE = [
  'http://10.77.0.6:7717',
  'http://10.77.0.1:7717',
  'http://0.0.0.0:7717',
  'http://[::]:7717',
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[fe80::1]:7717',
  'http://[fd00:8::1]:7717',
  'http://8.8.8.8',
  'http://128.0.0.1',
  'http://126.255.255.255',
  'http://192.168.8.1',
  'http://192.168.3.255',
];

describe('Addresses of desks', () => {
  it.each(LOOPBACK_SPELLINGS)(
    'without a mesh loopback may be spelled %s, but with a mesh it is refused',
    (url) => {
      expect(isAllowed(url, loopback)).toBe(true);
      expect(isAllowed(url, mesh)).toBe(false);
    },
  );

  it.each(NEVER)('%j is always refused', (url) => {
    for (const rule of [mesh, loopback, office]) expect(isAllowed(url, rule)).toBe(false);
  });

  it.each(ELSEWHERE)('%s is always refused', (url) => {
    for (const rule of [mesh, loopback, office]) expect(isAllowed(url, rule)).toBe(false);
  });

  it.each([
    'http://10.77.0.5:7717',
    'https://10.77.0.5',
    'http://172818437:1',
    'http://0xa.77.0.5',
    'http://[::ffff:a4d:5]',
  ])("%s is accepted as the desk's mesh address", (url) => {
    expect(isAllowed(url, mesh)).toBe(true);
    expect(isAllowed(url, loopback)).toBe(false);
  });

  it.each(['http://192.168.4.1:7717', 'http://192.168.7.255', 'http://[fd00:7::1]:7717'])(
    '%s is accepted as part of DESK_NETWORKS',
    (url) => {
      expect(isAllowed(url, office)).toBe(true);
      expect(isAllowed(url, loopback)).toBe(false);
    },
  );

  it('refuses every address while the desk has no mesh address', () => {
    expect(isAllowed('http://10.77.0.5:7717', { mesh: true, address: null })).toBe(false);
  });

  it('dials a literal address, never a name', () => {
    expect(judgeDeskUrl('http://localhost:7717/a/', loopback)).toEqual({
      target: { protocol: 'http:', address: '127.0.0.1', port: 7717, path: '/a' },
    });
  });
});
