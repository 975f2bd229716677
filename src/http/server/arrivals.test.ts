import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Arrivals, createArrivals } from './arrivals.js';

const WAYS = 10;
const TURN_MS = 20;
let time: number;
let ways: number;
let due: (() => void)[];
let arrivals: Arrivals;

beforeEach(() => {
  time = 1000;
  ways = WAYS;
  due = [];
  arrivals = createArrivals(
    () => ways,
    () => time,
    (work) => due.push(work),
  );
});

/** A turn that takes so many connections; for how long each of them waited. */
function turn(count: number): number[] {
  const requests = Array.from({ length: count }, () => ({ socket: {} as Socket }) as IncomingMessage);
  for (const { socket } of requests) arrivals.note(socket);
  for (const work of due.splice(0)) work();
  time += TURN_MS;
  return requests.map((request) => arrivals.waitedMs(request));
}
const all = (count: number, waitedMs: number) => Array.from({ length: count }, () => waitedMs);

describe('a connection', () => {
  it('that comes while there is room has not waited', () => {
    for (let n = 0; n < 50; n += 1) expect(turn(WAYS - 1)).toEqual(all(WAYS - 1, 0));
  });

  it('may have waited since every turn takes as many as there are ways in', () => {
    expect(turn(WAYS)).toEqual(all(WAYS, 0));
    expect(turn(WAYS)).toEqual(all(WAYS, TURN_MS));
    expect(turn(WAYS)).toEqual(all(WAYS, 2 * TURN_MS));
    expect(turn(3)).toEqual(all(3, 3 * TURN_MS));
    expect(turn(WAYS)).toEqual(all(WAYS, 0));
  });

  it('that comes after a turn that took none has not waited', () => {
    turn(WAYS);
    turn(WAYS);
    turn(0);
    expect(turn(1)).toEqual([0]);
    expect(due).toEqual([]);
  });

  it('has waited before its first request alone', () => {
    turn(WAYS);
    const request = { socket: {} as Socket } as IncomingMessage;
    arrivals.note(request.socket);
    time += TURN_MS;
    expect([arrivals.waitedMs(request), arrivals.waitedMs(request)]).toEqual([TURN_MS, 0]);
  });

  it('has not waited where its first request comes later', () => {
    const [early, late] = [{ socket: {} as Socket }, { socket: {} as Socket }] as IncomingMessage[];
    turn(WAYS);
    for (const { socket } of [early!, late!]) arrivals.note(socket);
    time += 249;
    expect(arrivals.waitedMs(early!)).toBe(TURN_MS);
    time += 1;
    expect(arrivals.waitedMs(late!)).toBe(0);
  });

  it('is not suspected where there are few ways in', () => {
    ways = 1;
    for (let n = 0; n < 50; n += 1) expect(turn(1)).toEqual([0]);
  });
});
