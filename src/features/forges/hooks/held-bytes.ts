import { networkOf } from '../../../kernel/networks.js';
import { tooMuchAtOnce } from './hooks.errors.js';

const MEBIBYTE = 1024 * 1024;
/** How many bytes of deliveries a node holds before their signatures are whole. */
const MOST_AT_ONCE = 64 * MEBIBYTE;

export interface DeliverySource {
  projectId: string;
  clientAddress: string;
}

/**
 * The bytes of deliveries that nobody has judged yet. A project gets at most a quarter, half of that from one network. A network gets
 * at most a quarter too, and never more than what is still free, so that there is room for another one.
 */
export function createHeldBytes({ most = MOST_AT_ONCE } = {}) {
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
    /** Throws where it would be too much. */
    hold(source: DeliverySource, size: number): void {
      const { network, project, both } = keysOf(source);
      const share = Math.min(most / 4, most - all - size);
      if (of(network) + size > share || of(project) + size > most / 4 || of(both) + size > most / 8)
        throw tooMuchAtOnce();
      all += size;
      for (const key of [network, project, both]) add(key, size);
    },

    letGo(source: DeliverySource, size: number): void {
      const { network, project, both } = keysOf(source);
      all -= size;
      for (const key of [network, project, both]) add(key, -size);
    },

    held: () => all,
  };
}
