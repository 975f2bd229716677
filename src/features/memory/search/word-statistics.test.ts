import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type AgentWords, WordStatistics } from './word-statistics.js';

const words = (documents: number): AgentWords => ({ documents, frequencies: new Map() });

/** Loads that end when the test says so. */
function startLoads() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const load = (name: string, fails = false) => {
    return () => {
      started.push(name);
      return new Promise<AgentWords>((resolve, reject) => {
        ends.push(() => (fails ? reject(new Error('unreachable')) : resolve(words(started.length))));
      });
    };
  };
  const endNext = async () => {
    ends.shift()?.();
    await setImmediate();
  };
  return { started, load, endNext };
}

describe('WordStatistics', () => {
  it('counts the words of one agent at a time, each wanted once, so that searches keep the connections', async () => {
    const statistics = new WordStatistics();
    const { started, load, endNext } = startLoads();
    for (const name of ['a', 'b', 'a', 'c']) statistics.want(name, load(name));
    await setImmediate();
    expect(started).toEqual(['a']);
    await endNext();
    expect(started).toEqual(['a', 'b']);
    expect(statistics.find('a', load('a'))).toEqual(words(1));
    await endNext();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('goes on to the next agent when a count fails, and tries that one again when it is wanted', async () => {
    const statistics = new WordStatistics();
    const { started, load, endNext } = startLoads();
    statistics.want('a', load('a', true));
    statistics.want('b', load('b'));
    await setImmediate();
    await endNext();
    await endNext();
    expect(statistics.find('b', load('b'))).toEqual(words(2));
    statistics.want('a', load('a'));
    await setImmediate();
    await endNext();
    expect(started).toEqual(['a', 'b', 'a']);
    expect(statistics.find('a', load('a'))).toEqual(words(3));
  });
});
