import type { Mesh } from '../../../platform/mesh/mesh.js';
import { type DeskNetworkRule, deskNetworks } from './desk-address.js';

/** Where a desk may be dialled: in the mesh at its own address, without one in the networks that are named. */
export type NetworkRuleOf = (desk: { mesh_address: string | null }) => DeskNetworkRule;

export function networkRules(mesh: Mesh, named: readonly string[]): NetworkRuleOf {
  const networks = deskNetworks(named);
  return (desk) => (mesh.network ? { mesh: true, address: desk.mesh_address } : { mesh: false, networks });
}
