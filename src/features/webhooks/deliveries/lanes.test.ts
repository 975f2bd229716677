import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLanes } from './lanes.js';

/** So many on their way to each of the receivers, until they are told to arrive. */
function occupy(lanes: ReturnType<typeof createLanes>, receivers: string[], each: number) {
  let arrive = () => {};
  const gate = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const running = receivers.flatMap((receiver) =>
    Array.from({ length: each }, () => lanes.run(receiver, () => gate)),
  );
  return async () => {
    arrive();
    await Promise.all(running);
  };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `receiver ${n}`);
const roomOf = (lanes: ReturnType<typeof createLanes>, receiver: string) => {
  const { receivers, rooms, room } = lanes.capacity();
  const at = receivers.indexOf(receiver);
  return at < 0 ? room : rooms[at]!;
};
const turnSlow = () => vi.advanceTimersByTime(1000);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('lanes', () => {
  it('give every receiver a few places and no more', async () => {
    const lanes = createLanes();
    const arrive = occupy(lanes, ['one'], 8);
    expect(roomOf(lanes, 'one')).toBe(0);
    expect(roomOf(lanes, 'other')).toBe(8);
    expect(lanes.isCrowded()).toBe(true);
    await arrive();
    expect(roomOf(lanes, 'one')).toBe(8);
    expect(lanes.isCrowded()).toBe(false);
  });

  it('give the places of the slow to the quick, and the slow one place', async () => {
    const lanes = createLanes();
    const arrive = occupy(lanes, names(8), 8);
    expect(lanes.capacity().total).toBe(0);
    turnSlow();
    expect(lanes.capacity().total).toBe(64);
    expect(roomOf(lanes, 'receiver 0')).toBe(0);
    await arrive();
    expect(roomOf(lanes, 'receiver 0')).toBe(1);
    await lanes.run('receiver 0', async () => {});
    expect(roomOf(lanes, 'receiver 0')).toBe(8);
  });

  it('take no more of those known to be slow when they are too many', async () => {
    const lanes = createLanes();
    await Promise.all(names(200).map((receiver) => lanes.run(receiver, async () => void turnSlow())));
    const arrive = occupy(lanes, names(192), 1);
    turnSlow();
    expect(roomOf(lanes, 'receiver 199')).toBe(0);
    expect(roomOf(lanes, 'a stranger')).toBe(8);
    await arrive();
    expect(roomOf(lanes, 'receiver 199')).toBe(1);
  });
});
