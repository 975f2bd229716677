export interface MeshPeer {
  publicKey: string;
  address: string;
}

interface MeshHub {
  publicKey: string;
  endpoint: string;
  allowedIps: string;
  keepalive: number;
}

export interface Mesh {
  /** Undefined when desks are reached directly. */
  readonly network: MeshNetwork | undefined;
  /** Resolves to a hub once the hub has a key. */
  hub(): Promise<MeshHub | undefined>;
  start(peers: MeshPeer[]): Promise<void>;
  /** Replaces the peers without interrupting the remaining ones. */
  applyPeers(peers: MeshPeer[]): Promise<void>;
  stop(): Promise<void>;
}

/** For development, where desks are reached directly. */
export const noMesh = (): Mesh => ({
  network: undefined,
  hub: async () => undefined,
  start: async () => {},
  applyPeers: async () => {},
  stop: async () => {},
});

interface MeshNetwork {
  cidr: string;
  prefixLength: number;
  hubAddress: string;
  firstDeskAddress: string;
  lastDeskAddress: string;
}

/** The hub gets the first address, and the last one is never assigned. */
export function readMeshNetwork(cidr: string): MeshNetwork {
  const [address = '', bits = '32'] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  if (size < 4) throw new Error(`MESH_CIDR ${cidr} has too few addresses for desks`);
  const base = toNumber(address) - (toNumber(address) % size);
  return {
    cidr,
    prefixLength: Number(bits),
    hubAddress: toText(base + 1),
    firstDeskAddress: toText(base + 2),
    lastDeskAddress: toText(base + size - 2),
  };
}

const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const toText = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
