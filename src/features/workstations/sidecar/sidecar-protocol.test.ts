import { describe, expect, it } from 'vitest';
import { parseHealth } from './sidecar-protocol.js';

const DIGEST = 'a'.repeat(64);
const read = (health: object) =>
  parseHealth(JSON.stringify({ env_id: 'x', version: '0.4.0', code_digest: DIGEST, ...health }));

describe('The digest in a health report', () => {
  it.each(['0.2.9', '0.2.0', '0.2', '0', '0.1.99', 'v0.2.9', '0.2.9+build', '0.2.10-rc.1', '0.0.100'])(
    'is null below 0.2.10, even if one is reported: %s',
    (version) => expect(read({ version })?.codeDigest).toBeNull(),
  );

  it.each([
    '0.2.10',
    '0.2.11',
    '0.2.100',
    '0.3.0',
    '0.10.0',
    '1.0.0',
    '10',
    'v0.2.10',
    '0.2.10+x',
    '0.3.0-rc.1',
  ])('is as reported from 0.2.10 on: %s', (version) => expect(read({ version })?.codeDigest).toBe(DIGEST));

  it.each([null, 'nightly', ''])(
    'is as reported when the version is missing or unreadable: %j',
    (version) => {
      expect(read({ version })?.codeDigest).toBe(DIGEST);
    },
  );
});

describe('The isolation in a health report', () => {
  it.each(['namespace', 'user', 'none'])('is as reported: %s', (isolation) => {
    expect(read({ isolation })?.isolation).toBe(isolation);
  });

  it.each([undefined, null, 7, 'strong', ['user']])('is null for an unknown value: %j', (isolation) => {
    expect(read({ isolation })?.isolation).toBeNull();
  });
});
