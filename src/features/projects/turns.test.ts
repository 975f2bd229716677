import { describe, expect, it } from 'vitest';
import { createTurns, type Turns } from './turns.js';

/** Work that goes on until it is told to end. */
function stage(turns: Turns) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (name: string, brandId: number, signal?: AbortSignal) =>
    turns.take(brandId, signal, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    started,
    enter,
    settle,
    async end(name: string) {
      ends.get(name)!();
      await settle();
    },
  };
}

describe('turns', () => {
  it('of one workspace only so many run at once, however many wait', async () => {
    const { started, enter, settle, end } = stage(createTurns({ atOnce: 4, perWorkspace: 2 }));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void enter(name, 1);
    await settle();
    expect(started).toEqual(['a1', 'a2']);
    await end('a2');
    expect(started).toEqual(['a1', 'a2', 'a3']);
  });

  it('another workspace does not wait for them', async () => {
    const { started, enter, settle } = stage(createTurns({ atOnce: 3, perWorkspace: 2 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) void enter(name, 1);
    void enter('b1', 2);
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1']);
  });

  it('of all together only so many run at once, and who has least under way comes first', async () => {
    const { started, enter, settle, end } = stage(createTurns({ atOnce: 3, perWorkspace: 2 }));
    for (const [name, brand] of [
      ['a1', 1],
      ['b1', 2],
      ['b2', 2],
      ['a2', 1],
      ['c1', 3],
    ] as const)
      void enter(name, brand);
    await settle();
    expect(started).toEqual(['a1', 'b1', 'b2']);
    await end('b2');
    expect(started.at(-1)).toBe('c1');
    await end('b1');
    expect(started.at(-1)).toBe('a2');
  });

  it('a turn ends with its work, also when that fails', async () => {
    const turns = createTurns({ atOnce: 1, perWorkspace: 1 });
    const failure = turns.take(1, undefined, async () => {
      throw new Error('no');
    });
    await expect(failure).rejects.toThrow('no');
    expect(await turns.take(1, undefined, async () => 'next')).toBe('next');
  });

  it('who waits can give up, and nobody waits behind them', async () => {
    const { started, enter, settle, end } = stage(createTurns({ atOnce: 1, perWorkspace: 1 }));
    void enter('a1', 1);
    const impatient = new AbortController();
    const waiting = enter('b1', 2, impatient.signal);
    void enter('c1', 3);
    await settle();
    impatient.abort();
    await expect(waiting).rejects.toThrow();
    await end('a1');
    expect(started).toEqual(['a1', 'c1']);
  });
});
