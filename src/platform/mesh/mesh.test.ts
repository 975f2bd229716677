import { describe, expect, it } from 'vitest';
import { noMesh, readMeshNetwork } from './mesh.js';
import { meshPublicKey, newMeshKey } from './mesh-wireguard.js';

describe('the addresses of the mesh', () => {
  it('gives the hub the first address and keeps the last one free', () => {
    const network = readMeshNetwork('10.77.0.0/16');
    expect(network.hubAddress).toBe('10.77.0.1');
    expect(network.firstDeskAddress).toBe('10.77.0.2');
    expect(network.lastDeskAddress).toBe('10.77.255.254');
    expect(network.prefixLength).toBe(16);
  });

  it('starts at the network of an address inside it', () => {
    expect(readMeshNetwork('192.168.7.130/28').hubAddress).toBe('192.168.7.129');
  });

  it('refuses a network with too few addresses', () => {
    expect(() => readMeshNetwork('10.0.0.0/31')).toThrow('too few addresses');
  });
});

describe('mesh keys', () => {
  it('derives the public key the way wg does', () => {
    // A pair made by `wg genkey` and `wg pubkey`.
    expect(meshPublicKey('kMAC9erLYAQ73cSjYx/2xM7OLMqyFxz5ZZyUqIl4oFM=')).toBe(
      'hOGeiVZTnHfFeOH92TQEKOmkGAuhlgukWPBiexfHaVE=',
    );
    expect(newMeshKey()).toMatch(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/);
  });

  it('makes keys that differ', () => {
    expect(newMeshKey()).not.toBe(newMeshKey());
  });
});

describe('MESH=none', () => {
  it('has no network and no hub', async () => {
    expect(noMesh().network).toBeUndefined();
    expect(await noMesh().hub()).toBeUndefined();
  });
});
