import { networkOf } from '../../../kernel/networks.js';
import { tooMuchAtOnce } from '../forges.errors.js';

const MEBIBYTE = 1024 * 1024;
/** Bytes of unverified deliveries that a node holds at once. */
const MOST_AT_ONCE = 64 * MEBIBYTE;

export interface DeliverySource {
  projectId: string;
  clientAddress: string;
}

/**
 * Limits the memory of deliveries until they are verified. A project may use a quarter, half of that from one network. A
 * network may use a quarter and never more than is still free, so that others always have room.
 */
export function createUnverifiedBytes({ most = MOST_AT_ONCE } = {}) {
  const held = new Map<string, number>();
  let all = 0;

  const keysOf = ({ projectId, clientAddress }: DeliverySource) => {
    const network = networkOf(clientAddress);
    return { network, project: projectId, both: `${projectId} ${network}` };
  };
  const of = (key: string) => held.get(key) ?? 0;
  const add = (key: string, size: number) => {
    const rest = of(key) + size;
    if (rest > 0) held.set(key, rest);
    else held.delete(key);
  };

  return {
    /** Throws where it exceeds a limit. */
    hold(source: DeliverySource, size: number): void {
      const { network, project, both } = keysOf(source);
      const share = Math.min(most / 4, most - all - size);
      if (of(network) + size > share || of(project) + size > most / 4 || of(both) + size > most / 8)
        throw tooMuchAtOnce();
      all += size;
      for (const key of [network, project, both]) add(key, size);
    },

    release(source: DeliverySource, size: number): void {
      const { network, project, both } = keysOf(source);
      all -= size;
      for (const key of [network, project, both]) add(key, -size);
    },

    total: () => all,
  };
}
