/**
 * Writes that may go together: what comes while one of the same key is under way waits for its end and goes with all that came
 * meanwhile, as one. Everybody waits for the write that holds what is theirs, and hears if it failed.
 */
export function joinWrites<K, T>(
  write: (key: K, things: readonly T[]) => Promise<void>,
): (key: K, thing: T) => Promise<void> {
  const last = new Map<K, Promise<void>>();
  const waiting = new Map<K, { things: T[]; written: Promise<void> }>();

  return (key, thing) => {
    const open = waiting.get(key);
    if (open) {
      open.things.push(thing);
      return open.written;
    }
    const things = [thing];
    const before = last.get(key);
    const begin = async () => {
      if (before) {
        await before.catch(() => undefined);
        waiting.delete(key);
      }
      await write(key, things);
    };
    const written = begin().finally(() => {
      if (last.get(key) === written) last.delete(key);
    });
    last.set(key, written);
    if (before) waiting.set(key, { things, written });
    return written;
  };
}
