import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFollowers } from './live-followers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a follower wakes after a minute without news, because a node may have died before sending its notification', async () => {
  let notify = (_key: string) => {};
  const notifications = {
    subscribe: (channel: string, handler: (payload: never) => void) => {
      if (channel === 'news') notify = handler as typeof notify;
      return () => {};
    },
    onGap: () => () => {},
  };
  const ended = new AbortController();
  const follower = createFollowers<string>(notifications, 'news', (key) => [key]).follow('one', ended.signal);
  const quiet = follower.next();
  await vi.advanceTimersByTimeAsync(59_000);
  notify('another');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await quiet).toBe('time');
  const heard = follower.next();
  notify('one');
  expect(await heard).toBe('news');
  const soon = follower.next(5_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await soon).toBe('time');
  ended.abort();
  expect(await follower.next()).toBe('end');
});
