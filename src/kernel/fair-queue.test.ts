import { describe, expect, it } from 'vitest';
import { FairQueue, type Place } from './fair-queue.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Enters the queue under the given keys and records the order of the starts. */
function recorder(queue: FairQueue) {
  const order: string[] = [];
  const places = new Map<string, Place>();
  return {
    order,
    places,
    enter(name: string, key: string) {
      void queue.enter(key).then((place) => {
        order.push(name);
        places.set(name, place);
      });
    },
  };
}

describe('Fair queue', () => {
  it('limits how many run at once and starts the next when one ends', async () => {
    const queue = new FairQueue({ places: 2 });
    const { enter, order, places } = recorder(queue);
    for (const name of ['a', 'b', 'c']) enter(name, 'key');
    await settled();
    expect(order).toEqual(['a', 'b']);
    places.get('a')!.leave();
    await settled();
    expect(order).toEqual(['a', 'b', 'c']);
    expect(queue.running).toBe(2);
  });

  it('starts the key with the least usage first, regardless of how many wait under other keys', async () => {
    const queue = new FairQueue({ places: 1 });
    const { enter, order, places } = recorder(queue);
    for (let n = 0; n < 5; n += 1) enter(`heavy-${n}`, 'heavy');
    for (let n = 0; n < 3; n += 1) enter(`light-${n}`, 'light');
    await settled();
    while (places.size < 8) {
      const last = order.at(-1)!;
      places.get(last)!.leave(last.startsWith('heavy') ? 100 : 10);
      await settled();
    }
    expect(order.slice(0, 5)).toEqual(['heavy-0', 'light-0', 'light-1', 'light-2', 'heavy-1']);
  });

  it('gives a key no credit for the time it was idle', async () => {
    const queue = new FairQueue({ places: 1 });
    const { enter, order, places } = recorder(queue);
    for (let n = 0; n < 30; n += 1) enter(`steady-${n}`, 'steady');
    await settled();
    for (let n = 0; n < 20; n += 1) {
      places.get(order.at(-1)!)!.leave(10);
      await settled();
    }
    for (let n = 0; n < 4; n += 1) enter(`late-${n}`, 'late');
    const before = order.length;
    for (let n = 0; n < 4; n += 1) {
      places.get(order.at(-1)!)!.leave(10);
      await settled();
    }
    const next = order.slice(before).map((name) => name.split('-')[0]);
    expect(next.filter((name) => name === 'steady').length).toBeGreaterThanOrEqual(1);
  });

  it('limits the places of one key and leaves the others to other keys', async () => {
    const queue = new FairQueue({ places: 4, mostPerKey: 3 });
    const { enter, order } = recorder(queue);
    for (let n = 0; n < 10; n += 1) enter('heavy', 'heavy');
    enter('light', 'light');
    await settled();
    expect(order).toEqual(['heavy', 'heavy', 'heavy', 'light']);
  });

  it('has an extra place for a key without one when all places are taken', async () => {
    const queue = new FairQueue({ places: 4, extraPlaces: 1 });
    const { enter, order } = recorder(queue);
    for (let n = 0; n < 6; n += 1) enter('heavy', 'heavy');
    await settled();
    queue.resize(1);
    enter('light', 'light');
    enter('light again', 'light');
    enter('third', 'third');
    await settled();
    expect(order).toEqual(['heavy', 'heavy', 'heavy', 'heavy', 'light']);
  });

  it('limits the running work of one key by its cost', async () => {
    const queue = new FairQueue({ places: 10, mostCostPerKey: 50 });
    for (let n = 0; n < 40; n += 1) (await queue.enter('heavy')).leave(20);
    const { enter, order } = recorder(queue);
    for (let n = 0; n < 5; n += 1) enter('heavy', 'heavy');
    for (let n = 0; n < 5; n += 1) enter('light', 'light');
    await settled();
    expect(order).toEqual(['heavy', 'heavy', 'light', 'light', 'light', 'light', 'light']);
  });

  it('rejects work that waits too long and removes it from the queue', async () => {
    const queue = new FairQueue({ places: 1, longestWaitMs: 20, refuse: () => new Error('Too late') });
    const place = await queue.enter('a');
    await expect(queue.enter('b')).rejects.toThrow('Too late');
    expect(queue.waiting).toBe(0);
    place.leave();
    expect(queue.running).toBe(0);
  });

  it('starts work with a signal at once when a place is free', async () => {
    const queue = new FairQueue({ places: 1 });
    const { signal } = new AbortController();
    expect(await queue.run('key', async () => 'done', signal)).toBe('done');
  });

  it('removes aborted work from the queue without delaying the next', async () => {
    const queue = new FairQueue({ places: 1 });
    const first = await queue.enter('a');
    const impatient = new AbortController();
    const waiting = queue.run('b', async () => 'never', impatient.signal);
    const next = queue.run('c', async () => 'done');
    impatient.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    first.leave();
    await expect(next).resolves.toBe('done');
    expect(queue.running).toBe(0);
    await expect(queue.run('a', async () => 'never', AbortSignal.abort(new Error('before')))).rejects.toThrow(
      'before',
    );
  });

  it('frees a place only once when it is released twice', async () => {
    const queue = new FairQueue({ places: 1 });
    const place = await queue.enter('a');
    place.leave();
    place.leave();
    expect(queue.running).toBe(0);
    const { enter, order } = recorder(queue);
    enter('b', 'b');
    enter('c', 'c');
    await settled();
    expect(order).toEqual(['b']);
  });

  it('frees the place when the work fails', async () => {
    const queue = new FairQueue({ places: 1 });
    await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(queue.run('a', async () => 'done')).resolves.toBe('done');
  });

  it('starts waiting work when the number of places grows', async () => {
    const queue = new FairQueue({ places: 1 });
    const { enter, order } = recorder(queue);
    for (const name of ['a', 'b', 'c']) enter(name, name);
    await settled();
    expect(order).toEqual(['a']);
    queue.resize(3);
    await settled();
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('starts 20,000 waiting items in sequence when each ends synchronously', async () => {
    const queue = new FairQueue({ places: 1 });
    const first = await queue.enter('a');
    let done = 0;
    const many = 20_000;
    for (let n = 0; n < many; n += 1)
      queue.ask(
        'b',
        (place) => {
          done += 1;
          place.leave(0);
        },
        () => undefined,
      );
    first.leave();
    expect(done).toBe(many);
    expect(queue.running).toBe(0);
  });

  it('counts work under the key it is moved to', async () => {
    const queue = new FairQueue({ places: 4, mostPerKey: 1 });
    const place = await queue.enter('unknown');
    place.move('known');
    const { enter, order } = recorder(queue);
    enter('known', 'known');
    enter('unknown', 'unknown');
    await settled();
    expect(order).toEqual(['unknown']);
    place.leave();
    await settled();
    expect(order).toEqual(['unknown', 'known']);
  });

  it('expects a longer wait when more work of the key is waiting, and resets when none is', async () => {
    const queue = new FairQueue({ places: 1 });
    const { enter, order, places } = recorder(queue);
    const endOldest = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      places.get(order.at(-1)!)!.leave(5);
    };
    for (let n = 0; n < 100; n += 1) enter(`${n}`, 'a');
    for (let n = 0; n < 10; n += 1) await endOldest();
    expect(queue.expectWait('a').expectedMs).toBeGreaterThan(100);
    expect(queue.expectWait('a').standingMs).toBeGreaterThan(40);
    expect(queue.expectWait('b')).toEqual({ expectedMs: 0, standingMs: 0 });
    while (queue.waiting > 0) await endOldest();
    expect(queue.expectWait('a')).toEqual({ expectedMs: 0, standingMs: 0 });
  });
});
