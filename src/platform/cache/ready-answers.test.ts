import { describe, expect, it } from 'vitest';
import type { ReadyAnswer } from './ready-answers.js';
import { createReadyAnswers } from './ready-answers.js';

/** A source of notifications that the test controls. */
function listen() {
  let hear: (news: never) => void = () => {};
  let gap = () => {};
  const news = {
    healthy: true,
    subscribe(_channel: string, handler: (payload: never) => void) {
      hear = handler;
      return () => false;
    },
    onGap(callback: () => void) {
      gap = callback;
      return () => false;
    },
  };
  let now = new Date('2026-01-01T00:00:00Z');
  const answers = createReadyAnswers(news as never, { now: () => now });
  let made = 0;
  let until: Date | undefined;
  const make = (): ReadyAnswer => {
    made += 1;
    return { body: String(made), contentType: 'text/plain', etag: `"${made}"`, until };
  };
  const at = (time: string) => {
    now = new Date(`2026-01-01T${time}Z`);
  };
  const trueUntil = (time: string) => {
    until = new Date(`2026-01-01T${time}Z`);
  };
  const ask = async (brandId: number, question = '/features') =>
    (await answers.find(brandId, question, make)).body;
  const changed = (brandId: number | null) => hear({ brand_id: brandId } as never);
  return { answers, news, ask, make, changed, at, trueUntil, lose: () => gap() };
}

describe('Ready answer', () => {
  it('is rendered again when its validity ends', async () => {
    const { ask, at, trueUntil } = listen();
    trueUntil('10:00:00');
    at('09:59:59.999');
    expect([await ask(1), await ask(1)]).toEqual(['1', '1']);
    at('10:00:00');
    expect([await ask(1), await ask(1)]).toEqual(['2', '3']);
  });

  it('is rendered once per workspace and question', async () => {
    const { ask } = listen();
    expect([await ask(1), await ask(1), await ask(2), await ask(1, '/members'), await ask(1)]).toEqual([
      '1',
      '1',
      '2',
      '3',
      '1',
    ]);
  });

  it('is rendered again only after a change in its workspace', async () => {
    const { ask, changed } = listen();
    expect([await ask(1), await ask(2)]).toEqual(['1', '2']);
    changed(1);
    expect([await ask(1), await ask(2)]).toEqual(['3', '2']);
  });

  it('is rendered again after a change that affects all workspaces, and after a gap in the notifications', async () => {
    const { ask, changed, lose } = listen();
    expect([await ask(1), await ask(2)]).toEqual(['1', '2']);
    changed(null);
    expect([await ask(1), await ask(2)]).toEqual(['3', '4']);
    lose();
    expect([await ask(1), await ask(2)]).toEqual(['5', '6']);
  });

  it('is not kept when the data changed while it was rendered', async () => {
    const { answers, ask, changed } = listen();
    let resolve: (answer: ReadyAnswer) => void = () => {};
    const older = new Promise<ReadyAnswer>((answer) => {
      resolve = answer;
    });
    const first = answers.find(1, '/features', () => older);
    changed(1);
    resolve({ body: 'older', contentType: 'text/plain', etag: '"0"' });
    expect((await first).body).toBe('older');
    expect(await ask(1)).toBe('1');
  });

  it('is neither used nor stored while notifications are down', async () => {
    const { news, ask } = listen();
    expect(await ask(1)).toBe('1');
    news.healthy = false;
    expect(await ask(1)).toBe('2');
    expect(await ask(1, '/members')).toBe('3');
    news.healthy = true;
    expect(await ask(1, '/members')).toBe('4');
  });

  it('is rendered again after a failure', async () => {
    const { answers, ask } = listen();
    const failing = () => Promise.reject(new Error('away'));
    await expect(answers.find(1, '/features', failing)).rejects.toThrow('away');
    expect(await ask(1)).toBe('1');
  });
});
