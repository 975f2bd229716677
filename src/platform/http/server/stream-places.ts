import { tooManyRequests } from '../../../kernel/errors.js';

const MOST_STREAMS = 50;
const RETRY_SECONDS = 10;

/** So many streams may a person follow at once on a node. */
export function createStreamPlaces(onRefused: () => void = () => {}, most = MOST_STREAMS) {
  const taken = new Map<number, number>();
  return {
    /** Whoever took a place gives it back with what is returned. */
    take(userId: number): () => void {
      const places = taken.get(userId) ?? 0;
      if (places >= most) {
        onRefused();
        throw tooManyRequests(`You follow ${most} streams already; end one first`, RETRY_SECONDS);
      }
      taken.set(userId, places + 1);
      return () => {
        const rest = (taken.get(userId) ?? 0) - 1;
        if (rest > 0) taken.set(userId, rest);
        else taken.delete(userId);
      };
    },
  };
}

export type StreamPlaces = ReturnType<typeof createStreamPlaces>;
