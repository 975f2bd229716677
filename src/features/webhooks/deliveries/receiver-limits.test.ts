import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReceiverLimits } from './receiver-limits.js';

function occupy(limits: ReturnType<typeof createReceiverLimits>, receivers: string[], each: number) {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const running = receivers.flatMap((receiver) =>
    Array.from({ length: each }, () => limits.run(receiver, () => arrived)),
  );
  return async () => {
    arrive();
    await Promise.all(running);
  };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `receiver ${n}`);
const freeOf = (limits: ReturnType<typeof createReceiverLimits>, receiver: string) => {
  const { receivers, free, perReceiver } = limits.capacity();
  const at = receivers.indexOf(receiver);
  return at < 0 ? perReceiver : free[at]!;
};
const turnSlow = () => vi.advanceTimersByTime(1000);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Receiver limits', () => {
  it('allow eight concurrent deliveries to a receiver', async () => {
    const limits = createReceiverLimits();
    const arrive = occupy(limits, ['one'], 8);
    expect(freeOf(limits, 'one')).toBe(0);
    expect(freeOf(limits, 'other')).toBe(8);
    expect(limits.isFull()).toBe(true);
    await arrive();
    expect(freeOf(limits, 'one')).toBe(8);
    expect(limits.isFull()).toBe(false);
  });

  it('allow one concurrent delivery to a slow receiver and free its other places', async () => {
    const limits = createReceiverLimits();
    const arrive = occupy(limits, names(8), 8);
    expect(limits.capacity().total).toBe(0);
    turnSlow();
    expect(limits.capacity().total).toBe(64);
    expect(freeOf(limits, 'receiver 0')).toBe(0);
    await arrive();
    expect(freeOf(limits, 'receiver 0')).toBe(1);
    await limits.run('receiver 0', async () => {});
    expect(freeOf(limits, 'receiver 0')).toBe(8);
  });

  it('hold back known slow receivers when too many deliveries are slow', async () => {
    const limits = createReceiverLimits();
    await Promise.all(names(200).map((receiver) => limits.run(receiver, async () => void turnSlow())));
    const arrive = occupy(limits, names(192), 1);
    turnSlow();
    expect(freeOf(limits, 'receiver 199')).toBe(0);
    expect(freeOf(limits, 'a stranger')).toBe(8);
    await arrive();
    expect(freeOf(limits, 'receiver 199')).toBe(1);
  });
});
