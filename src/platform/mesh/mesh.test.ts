import { describe, expect, it } from 'vitest';
import { noMesh, readMeshNetwork } from './mesh.js';
import { meshPublicKey, newMeshKey } from './mesh-wireguard.js';

describe('Mesh network', () => {
  it('gives the hub the first address and leaves the last one free', () => {
    const network = readMeshNetwork('10.77.0.0/16');
    expect(network.hubAddress).toBe('10.77.0.1');
    expect(network.firstDeskAddress).toBe('10.77.0.2');
    expect(network.lastDeskAddress).toBe('10.77.255.254');
    expect(network.prefixLength).toBe(16);
  });

  it('starts at the network that contains the given address', () => {
    expect(readMeshNetwork('192.168.7.130/28').hubAddress).toBe('192.168.7.129');
  });

  it('rejects a network with too few addresses', () => {
    expect(() => readMeshNetwork('10.0.0.0/31')).toThrow('too few addresses');
  });
});

describe('Mesh keys', () => {
  it('derives the same public key as wg', () => {
    // A pair made by `wg genkey` and `wg pubkey`.
    expect(meshPublicKey('kMAC9erLYAQ73cSjYx/2xM7OLMqyFxz5ZZyUqIl4oFM=')).toBe(
      'hOGeiVZTnHfFeOH92TQEKOmkGAuhlgukWPBiexfHaVE=',
    );
    expect(newMeshKey()).toMatch(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/);
  });

  it('creates different keys', () => {
    expect(newMeshKey()).not.toBe(newMeshKey());
  });
});

describe('MESH=none', () => {
  it('has no network and no hub', async () => {
    expect(noMesh().network).toBeUndefined();
    expect(await noMesh().hub()).toBeUndefined();
  });
});
