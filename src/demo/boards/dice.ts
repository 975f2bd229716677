/** The same numbers on every machine, so that everybody sees the same demo. */
export function createDice(seed: number) {
  let state = seed;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(roll() * limit);
  return {
    below,
    chance: (share: number): boolean => roll() < share,
    pick: <T>(items: readonly T[]): T => items[below(items.length)]!,
  };
}

export type Dice = ReturnType<typeof createDice>;
