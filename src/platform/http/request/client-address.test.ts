import { connect } from 'node:net';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttp, type TestServer } from '../../../../tests/support/http.js';
import { readConfig } from '../../../config/config.js';
import { publicAccess, route } from '../declaration/route.js';

const where = route({
  name: 'tell_address',
  method: 'GET',
  path: '/where',
  summary: 'A test',
  tags: ['Test'],
  access: publicAccess(),
  responses: { 200: Type.Any() },
  errors: [],
  handler: ({ clientAddress }) => ({ address: clientAddress }),
});

let http: TestServer | undefined;
afterEach(() => http?.server.close());

async function askFrom(remoteAddress: string, forwarded: string | undefined, trusted?: string) {
  http = await startHttp([where], {
    trustedProxies: readConfig(trusted === undefined ? {} : { TRUSTED_PROXIES: trusted }).trustedProxies,
  });
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const answer = await http.inject({ url: '/where', remoteAddress, headers });
  return answer.json().address as string;
}

describe('X-Forwarded-For', () => {
  it.each<[from: string, forwarded: string | undefined, address: string]>([
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['127.8.8.8', '198.51.100.7', '198.51.100.7'],
    ['::1', '2001:db8::7', '2001:db8::7'],
    ['::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['203.0.113.5', '198.51.100.7', '203.0.113.5'],
    ['10.0.0.1', '198.51.100.7', '10.0.0.1'],
    ['2001:db8::5', '198.51.100.7', '2001:db8::5'],
  ])('from %s with %s: trusts only loopback by default and uses %s', async (from, forwarded, address) => {
    expect(await askFrom(from, forwarded)).toBe(address);
  });

  it.each<[trusted: string, from: string, forwarded: string, address: string]>([
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.0/8', '127.0.0.1', '198.51.100.7', '127.0.0.1'],
    ['10.0.0.0/8', '10.1.2.3', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
    ['10.0.0.0/8', '10.1.2.3', '1.1.1.1, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['10.0.0.0/8', '10.1.2.3', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['10.1.2.3', '10.1.2.4', '198.51.100.7', '10.1.2.4'],
    ['10.1.2.3,fd00::/8', 'fd00::1', '2001:DB8:0:0::7', '2001:db8::7'],
    ['fd00::/8', 'fe00::1', '2001:db8::7', 'fe00::1'],
    ['::ffff:10.0.0.0/104', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.0/8', '::ffff:a01:203', '198.51.100.7', '198.51.100.7'],
  ])(
    'with TRUSTED_PROXIES=%s from %s with %s: uses the last untrusted address, %s',
    async (trusted, from, forwarded, address) => {
      expect(await askFrom(from, forwarded, trusted)).toBe(address);
    },
  );

  it.each<[forwarded: string, address: string]>([
    ['198.51.100.7:4711', '198.51.100.7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::ffff:c633:6407', '198.51.100.7'],
    ['  198.51.100.7  ', '198.51.100.7'],
  ])('normalizes %j to %s', async (forwarded, address) => {
    expect(await askFrom('127.0.0.1', forwarded)).toBe(address);
  });

  it.each([
    '',
    ',',
    'unknown',
    '_hidden',
    '198.51.100.7, junk',
    '1.2.3',
    '1.2.3.4.5',
    '0x7f.1',
    '<b>',
    '::g',
    'a'.repeat(9_000),
  ])('ignores an invalid entry and all entries before it: %j', async (forwarded) => {
    expect(await askFrom('127.0.0.1', forwarded)).toBe('127.0.0.1');
  });

  it('joins several header lines into one list', async () => {
    http = await startHttp([where]);
    await http.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = http.server.server.address() as { port: number };
    const text = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk;
      });
      socket.on('close', () => resolve(got));
      socket.write(
        'GET /where HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 198.51.100.7\r\nConnection: close\r\n\r\n',
      );
    });
    expect(text).toContain('{"address":"198.51.100.7"}');
  });

  it('writes the client address to the log', async () => {
    await askFrom('127.0.0.1', '1.1.1.1, 198.51.100.7');
    expect(http!.logLines.map((line) => JSON.parse(line).address)).toEqual(['198.51.100.7']);
  });
});
