import { describe, expect, it } from 'vitest';
import { parseHealth } from './sidecar-protocol.js';

const DIGEST = 'a'.repeat(64);
const read = (health: object) =>
  parseHealth(JSON.stringify({ env_id: 'x', version: '0.4.0', code_digest: DIGEST, ...health }));

describe('the digest that health reports', () => {
  it.each(['0.2.9', '0.2.0', '0.2', '0', '0.1.99', 'v0.2.9', '0.2.9+build', '0.2.10-rc.1', '0.0.100'])(
    'is null below 0.2.10, whatever health says: %s',
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

  it.each([null, 'nightly', ''])('is as reported where the version says nothing: %j', (version) => {
    expect(read({ version })?.codeDigest).toBe(DIGEST);
  });
});

describe('the isolation that health reports', () => {
  it.each(['namespace', 'user', 'none'])('is as reported: %s', (isolation) => {
    expect(read({ isolation })?.isolation).toBe(isolation);
  });

  it.each([undefined, null, 7, 'strong', ['user']])(
    'is null where it says nothing that is known: %j',
    (isolation) => {
      expect(read({ isolation })?.isolation).toBeNull();
    },
  );
});
