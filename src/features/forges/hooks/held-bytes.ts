import { tooMuchAtOnce } from './hooks.errors.js';

const MEBIBYTE = 1024 * 1024;
/** In bytes: what strangers may have lying here before their signatures are whole. */
const MOST_AT_ONCE = 64 * MEBIBYTE;
const MOST_OF_ONE_ADDRESS = 16 * MEBIBYTE;

/** Bodies that nobody has judged yet, all together and of each address they come from. */
export function createHeldBytes({ most = MOST_AT_ONCE, mostOfOne = MOST_OF_ONE_ADDRESS } = {}) {
  let all = 0;
  const byAddress = new Map<string, number>();

  return {
    /** Throws where it would be too much. Whoever held bytes lets them go. */
    hold(address: string, size: number): void {
      const own = byAddress.get(address) ?? 0;
      if (all + size > most || own + size > mostOfOne) throw tooMuchAtOnce();
      all += size;
      byAddress.set(address, own + size);
    },

    letGo(address: string, size: number): void {
      all -= size;
      const left = (byAddress.get(address) ?? 0) - size;
      if (left > 0) byAddress.set(address, left);
      else byAddress.delete(address);
    },

    held: () => all,
  };
}
