import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../kernel/log.js';
import { type Admission, createAdmission, type RefusalReason } from './admission.js';

const HEALTH = '/api/v1/system/health';
let databaseWait: number;
let refusals: RefusalReason[];
let admission: Admission;
let waitedMs: number;
let pauses: number;
let arrivedLateMs: number;

beforeEach(() => {
  databaseWait = 0;
  refusals = [];
  waitedMs = 0;
  pauses = 0;
  arrivedLateMs = 0;
  admission = createAdmission({
    urgentPaths: new Set([HEALTH]),
    databaseWaitMs: () => databaseWait,
    refuse: () => {},
    onRefused: (reason) => refusals.push(reason),
    log: silentLog,
    refusedConnections: {
      pause: () => {
        pauses += 1;
      },
      waitedMs: () => waitedMs,
      look: () => {},
      stop: () => {},
    },
    arrivals: { note: () => {}, waitedMs: () => arrivedLateMs },
  });
});
afterEach(() => admission.stop());

interface Asked {
  isTaken: boolean;
  request: IncomingMessage;
  end(): void;
}

function ask({ url = '/', token = 'a' } = {}): Asked {
  const request = { url, headers: { authorization: token } } as unknown as IncomingMessage;
  const response = new EventEmitter() as unknown as ServerResponse;
  const refusalsBefore = refusals.length;
  admission.admit(request, response, () => {});
  return { isTaken: refusals.length === refusalsBefore, request, end: () => response.emit('close') };
}

const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work);
const taken = (asked: Asked[]) => asked.filter(({ isTaken }) => isTaken);

/** So many looks with the loop as late as this. */
const look = (count: number, loopDelayMs: number) => {
  for (let n = 0; n < count; n += 1) admission.measure(loopDelayMs);
};

/** A request whose caller has been recognised. */
function askAs(brandId: number): Asked {
  const asked = ask({ token: `token of ${brandId}` });
  if (asked.isTaken) admission.attribute(asked.request, brandId);
  return asked;
}

describe('requests under way', () => {
  it('are bounded, and each that ends makes room for another', () => {
    const asked = times(1000, () => ask());
    expect(taken(asked).length).toBeLessThanOrEqual(128);
    expect(refusals.length).toBe(1000 - taken(asked).length);
    expect(ask().isTaken).toBe(false);
    taken(asked)[0]!.end();
    expect(ask().isTaken).toBe(true);
  });

  it.each([
    ['the event loop', () => look(20, 1000)],
    [
      'the database',
      () => {
        databaseWait = 1000;
        look(20, 0);
      },
    ],
  ])('are fewer while %s is late, and as many as before within five seconds after it', (_, beLate) => {
    look(50, 0);
    const many = taken(times(1000, () => ask()));
    for (const each of many) each.end();
    beLate();
    const few = taken(times(1000, () => ask()));
    expect(few.length).toBeLessThan(many.length);
    expect(few.length).toBeGreaterThan(0);
    for (const each of few) each.end();
    databaseWait = 0;
    look(50, 0);
    expect(taken(times(1000, () => ask()))).toHaveLength(many.length);
  });

  it('are all taken on a machine that is slow for another reason, when they are few', () => {
    look(20, 5000);
    expect(taken(times(90, () => askAs(1)))).toHaveLength(90);
  });

  it('are refused when they lay unread for too long, though there is room, and heard when they are asked anew', () => {
    waitedMs = 400;
    expect(ask().isTaken).toBe(true);
    waitedMs = 401;
    expect(ask().isTaken).toBe(false);
    expect([refusals, pauses]).toEqual([['stale'], 0]);
    waitedMs = 0;
    expect(ask().isTaken).toBe(true);
  });

  it('are refused when their connection waited outside for too long, but for the urgent ones', () => {
    arrivedLateMs = 400;
    expect(ask().isTaken).toBe(true);
    arrivedLateMs = 401;
    expect([ask().isTaken, ask({ url: HEALTH }).isTaken]).toEqual([false, true]);
    expect([refusals, pauses]).toEqual([['overload'], 1]);
  });

  it('that find no room are followed by a pause of their connection', () => {
    const { length } = times(1000, () => ask()).filter(({ isTaken }) => !isTaken);
    expect([length > 0, pauses]).toEqual([true, length]);
  });

  it('do not count once they are streams', () => {
    for (const { request } of times(2000, () => ask())) admission.letStream(request);
    const streams = times(1000, () => {
      const asked = ask();
      admission.letStream(asked.request);
      return asked;
    });
    expect(taken(streams)).toHaveLength(1000);
    for (const stream of streams) stream.end();
    expect(ask().isTaken).toBe(true);
  });
});

describe('health and desks', () => {
  it('go first: they are taken when nothing else is', () => {
    look(20, 1000);
    times(1000, () => ask());
    expect(ask().isTaken).toBe(false);
    expect(taken(times(100, () => ask({ url: `${HEALTH}?x=1` })))).toHaveLength(100);
  });

  it('are bounded too', () => {
    expect(taken(times(2000, () => ask({ url: HEALTH })))).toHaveLength(512);
  });
});

describe('one workspace at full speed', () => {
  it('leaves room for another that asks for little', () => {
    const greedy: Asked[] = [];
    for (let n = 0; n < 1000; n += 1) greedy.push(askAs(1));
    expect(refusals).toContain('share');
    expect(taken(times(30, () => askAs(2)))).toHaveLength(30);
    for (let n = 0; n < 1000; n += 1) {
      taken(greedy)[n % taken(greedy).length]?.end();
      greedy.push(askAs(1));
    }
    expect(taken(times(10, () => askAs(2)))).toHaveLength(10);
  });

  it('gets three quarters of what is possible at once when nobody else asks', () => {
    expect(taken(times(1000, () => askAs(1))).length).toBe(96);
  });
});
