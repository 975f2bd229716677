/** The private network between the service and its desks. */
export interface MeshPeer {
  publicKey: string;
  address: string;
}

/** What a desk needs to know to join. */
export interface MeshHub {
  publicKey: string;
  endpoint: string;
  allowedIps: string;
  keepalive: number;
}

export interface Mesh {
  /** Undefined where desks are reached directly. */
  readonly network: MeshNetwork | undefined;
  /** Known as soon as the hub's key is; every node can tell a desk how to join. */
  hub(): Promise<MeshHub | undefined>;
  /** Brings the hub up with exactly these peers. */
  start(peers: MeshPeer[]): Promise<void>;
  /** Makes the hub's peers exactly these, without disturbing those that stay. */
  applyPeers(peers: MeshPeer[]): Promise<void>;
  stop(): Promise<void>;
}

/** Development: the desk is reached directly. */
export const noMesh = (): Mesh => ({
  network: undefined,
  hub: async () => undefined,
  start: async () => {},
  applyPeers: async () => {},
  stop: async () => {},
});

export interface MeshNetwork {
  cidr: string;
  prefixLength: number;
  hubAddress: string;
  firstDeskAddress: string;
  lastDeskAddress: string;
}

/** Addresses of the mesh: the first is the hub's, the last is never given out. */
export function readMeshNetwork(cidr: string): MeshNetwork {
  const [address = '', bits = '32'] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  if (size < 4) throw new Error(`MESH_CIDR ${cidr} has no room for desks`);
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
