import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../kernel/access.js';
import { silentLog } from '../../../kernel/log.js';
import { createRequestQueue, type RefusalReason, type RequestQueue } from './request-queue.js';

const HEALTH = '/api/v1/system/health';
let databaseWaitMs: number;
let refusals: RefusalReason[];
let queue: RequestQueue;

beforeEach(() => {
  databaseWaitMs = 0;
  const own: RefusalReason[] = [];
  refusals = own;
  queue = createRequestQueue({
    urgentPaths: new Set([HEALTH]),
    databaseWaitMs: () => databaseWaitMs,
    clientAddressOf: (request) => (request as { address?: string }).address ?? '192.0.2.1',
    cameByProxy: () => false,
    // Keeps the load of this machine from changing the cost of a request and the number of places.
    mostCostOfOne: Number.POSITIVE_INFINITY,
    measureEveryMs: 1_000_000,
    refuse: () => {},
    onRefused: (reason) => own.push(reason),
    log: silentLog,
  });
});
afterEach(() => queue.stop());

interface Asked {
  isRunning: boolean;
  request: IncomingMessage;
  socket: EventEmitter;
  response: ServerResponse;
  finish(): void;
}

const newSocket = () =>
  Object.assign(new EventEmitter().setMaxListeners(0), { bytesWritten: 0, destroyed: false });

function ask({ url = '/', token = 'a', address = '192.0.2.1', socket = newSocket() } = {}): Asked {
  const request = { url, headers: { authorization: token }, socket, address } as unknown as IncomingMessage;
  const response = Object.assign(new EventEmitter(), {
    req: request,
    writableEnded: false,
  }) as unknown as ServerResponse;
  const asked = {
    isRunning: false,
    request,
    socket,
    response,
    finish: () => response.emit('finish'),
  };
  queue.admit(request, response, () => {
    asked.isRunning = true;
  });
  return asked;
}

const times = <T>(count: number, work: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => work(n));
const running = (asked: Asked[]) => asked.filter(({ isRunning }) => isRunning);
/** Waits several turns of the event loop, because requests start over several turns. */
async function settle() {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
const member = (brandId: number) => ({ kind: 'pat', brandId }) as Caller;

/** A request whose caller has been recognized. */
function askAs(brandId: number): Asked {
  const asked = ask({ token: `token of ${brandId}` });
  if (asked.isRunning) queue.attribute(asked.request, member(brandId));
  return asked;
}

/** Teaches the queue the owner of a credential, as the first request with it does. */
async function introduce(brandId: number) {
  const first = askAs(brandId);
  await settle();
  queue.attribute(first.request, member(brandId));
  first.finish();
}

const late = { loopDelayMs: 200, processorShare: 1 };
const calm = { loopDelayMs: 0, processorShare: 0.1 };
const measure = (count: number, load: typeof late) => {
  for (let n = 0; n < count; n += 1) queue.measure(load);
};

describe('Request places', () => {
  it('are limited, and the next request starts when one finishes', async () => {
    const asked = times(300, () => askAs(1));
    await settle();
    const { length } = running(asked);
    expect(length).toBe(48);
    running(asked)[0]!.finish();
    await settle();
    expect(running(asked)).toHaveLength(length + 1);
  });

  it('are freed when the connection of pipelined requests is reset before their responses', async () => {
    for (let n = 0; n < 100; n += 1) {
      const socket = newSocket();
      times(100, () => ask({ socket, token: 'stranger' }));
      socket.destroyed = true;
      socket.emit('close');
      await settle();
    }
    const next = [askAs(1), ask({ address: '198.51.100.1', token: 'other' })];
    await settle();
    expect(running(next)).toHaveLength(2);
  });

  it('are freed only once when response, end and connection all report the end', async () => {
    const first = askAs(1);
    first.finish();
    first.response.emit('close');
    first.socket.emit('close');
    const asked = times(300, () => askAs(1));
    await settle();
    expect(running(asked)).toHaveLength(48);
  });

  it('are freed by a request that only waits', async () => {
    for (let n = 0; n < 200; n += 1) {
      const stream = askAs(1);
      await settle();
      expect(stream.isRunning).toBe(true);
      queue.leave(stream.request);
    }
  });

  it('are reclaimed from responses that wait for a slow reader, even while the event loop is late', async () => {
    const readers = times(48, () => askAs(1));
    for (const { response } of readers) Object.assign(response, { writableEnded: true });
    expect(askAs(1).isRunning).toBe(false);
    queue.measure(late);
    const next = askAs(1);
    await settle();
    expect(next.isRunning).toBe(true);
  });

  it('are reclaimed from requests that wait for something external while the event loop is on time', async () => {
    times(48, () => askAs(1));
    const next = askAs(1);
    await pause(550);
    queue.measure(late);
    expect(next.isRunning).toBe(false);
    queue.measure(calm);
    await settle();
    expect(next.isRunning).toBe(true);
  });

  it.each([
    ['the event loop is late', () => measure(12, late)],
    [
      'the database is late',
      () => {
        databaseWaitMs = 500;
        measure(12, calm);
        databaseWaitMs = 0;
      },
    ],
  ])('decrease while %s, and recover within five seconds', async (_, beLate) => {
    beLate();
    const few = times(50, () => askAs(1));
    await settle();
    expect(running(few).length).toBeLessThanOrEqual(6);
    for (const each of few) each.finish();
    measure(25, calm);
    await introduce(2);
    const many = times(300, () => askAs(2));
    await settle();
    expect(running(many).length).toBeGreaterThanOrEqual(48);
  });

  it('do not decrease while another process keeps the machine busy', async () => {
    measure(20, { loopDelayMs: 500, processorShare: 0.2 });
    const asked = times(100, () => askAs(1));
    await settle();
    expect(running(asked)).toHaveLength(48);
  });
});

describe('Fair sharing', () => {
  it('leaves places for another workspace while one exceeds the capacity', async () => {
    await introduce(1);
    await introduce(2);
    times(1000, () => askAs(1));
    const asked = times(16, () => askAs(2));
    await settle();
    expect(running(asked)).toHaveLength(16);
  });

  it('leaves places for members while anonymous callers from many networks exceed the capacity', async () => {
    await introduce(1);
    times(1000, (n) => ask({ token: `unknown ${n}`, address: `198.51.${n % 250}.1` }));
    const asked = times(16, () => askAs(1));
    await settle();
    expect(running(asked)).toHaveLength(16);
  });

  it('counts anonymous callers of one network as one', async () => {
    times(200, (n) => ask({ token: `unknown ${n}`, address: `198.51.100.${n % 250}` }));
    const neighbor = ask({ token: 'new', address: '198.51.100.251' });
    await settle();
    expect([neighbor.isRunning, refusals.length]).toEqual([false, 0]);
  });
});

describe('Rejections', () => {
  // A waiting database keeps the places of these requests from being reclaimed.
  beforeEach(async () => {
    databaseWaitMs = 500;
    await introduce(1);
  });

  it('happen after the longest wait without a place', async () => {
    times(48, () => askAs(1));
    const last = askAs(1);
    await pause(700);
    expect(refusals).toEqual([]);
    await pause(300);
    expect([last.isRunning, new Set(refusals)]).toEqual([false, new Set(['overload'])]);
  });

  it('happen at once when requests of the workspace already wait and none progresses', async () => {
    times(49, () => askAs(1));
    await pause(450);
    askAs(1);
    const other = askAs(2);
    await settle();
    expect([refusals, other.isRunning]).toEqual([['overload'], true]);
  });
});

describe('Urgent paths', () => {
  it('start regardless of the queue, up to a separate limit', async () => {
    times(1000, () => askAs(1));
    const asked = times(600, () => ask({ url: `${HEALTH}?x=1` }));
    await settle();
    expect(running(asked)).toHaveLength(512);
    expect(refusals).toContain('urgent');
  });

  it('free their places when the connection of pipelined requests is reset', () => {
    for (let n = 0; n < 100; n += 1) {
      const socket = newSocket();
      times(100, () => ask({ url: HEALTH, socket }));
      socket.emit('close');
    }
    expect(ask({ url: HEALTH }).isRunning).toBe(true);
  });
});
