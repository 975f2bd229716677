const AT_ONCE = 1000;

/** Removes everything that is due, some at a time, so that no statement holds its locks for long. Returns how many there were. */
export async function sweepInBatches(
  signal: AbortSignal,
  removeSome: (limit: number) => Promise<number>,
): Promise<number> {
  let swept = 0;
  for (let last = AT_ONCE; last === AT_ONCE && !signal.aborted; swept += last)
    last = await removeSome(AT_ONCE);
  return swept;
}
