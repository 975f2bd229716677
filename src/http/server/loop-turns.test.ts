import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLoopTurns } from './loop-turns.js';

/** Work that takes so long on a clock that only work moves. */
function workplace({ isCrowded = true } = {}) {
  let time = 0;
  const done: string[] = [];
  const turns = createLoopTurns(
    () => isCrowded,
    () => time,
  );
  return {
    done,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    ask: (name: string, milliseconds: number) =>
      turns.run(
        () => {
          done.push(name);
          time += milliseconds;
        },
        () => done.push(`${name} given up`),
      ),
  };
}

describe('work of one turn', () => {
  it('is done at once while the turn is short', () => {
    const { ask, done } = workplace();
    for (const name of ['a', 'b', 'c']) ask(name, 3);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('goes on in the next turns when it takes long, in the order in which it came', async () => {
    const { ask, done } = workplace();
    for (const name of ['a', 'b', 'c', 'd', 'e']) ask(name, 6);
    expect(done).toEqual(['a', 'b']);
    await nextTurn();
    ask('f', 6);
    expect(done).toEqual(['a', 'b', 'c', 'd']);
    await nextTurn();
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('is given up when it has waited too long', async () => {
    const { ask, done, pass } = workplace();
    ask('a', 10);
    ask('late', 1);
    pass(301);
    ask('in time', 1);
    await nextTurn();
    expect(done).toEqual(['a', 'late given up', 'in time']);
  });

  it('is done all the same, however long it waited, while there is little of it', async () => {
    const { ask, done, pass } = workplace({ isCrowded: false });
    ask('a', 10);
    ask('late', 1);
    pass(301);
    await nextTurn();
    expect(done).toEqual(['a', 'late']);
  });
});
