import { describe, expect, it } from 'vitest';
import { openBuildWorld } from '../../../../tests/support/build-world.js';
import type { InboxItem } from '../../inbox/inbox.schemas.js';

const world = await openBuildWorld();
const home = await world.furnish();
const desk = await home.readyDesk();

const inboxOf = async (cookie: string): Promise<InboxItem[]> =>
  (await world.inject({ method: 'GET', url: '/api/v1/me/inbox?state=all', headers: { cookie } })).json()
    .items;

async function finished(outcome: string, more: object = {}) {
  const assignee = await world.member(home.space.brand);
  const watcher = await world.member(home.space.brand);
  const card = await home.card({ assignee: assignee.user_id, watchers: [watcher.user_id] });
  const build = await home.build(card.id);
  const { claim } = await home.take(desk);
  await home.finish(desk, build.build_id, claim, { outcome, ...more });
  await home.finish(desk, build.build_id, claim, { outcome, ...more });
  const told = async (cookie: string) =>
    (await inboxOf(cookie)).filter(({ build_id }) => build_id === build.build_id);
  return {
    creator: await told(home.space.cookie),
    assignee: await told(await world.signIn(assignee, home.space.brand)),
    watcher: await told(await world.signIn(watcher, home.space.brand)),
  };
}

describe('Notifications at the end of a build', () => {
  it.each(['failed', 'timed_out'])(
    "reach its creator and the card's assignee once when it %s",
    async (outcome) => {
      const { creator, assignee, watcher } = await finished(outcome, { reason: 'The tests are red' });
      expect(creator).toMatchObject([{ kind: 'build_failed', actor: null, excerpt: 'The tests are red' }]);
      expect(assignee).toMatchObject([{ kind: 'build_failed' }]);
      expect(watcher).toEqual([]);
    },
  );

  it('ask creator, reporter and watchers for a review once when it succeeded', async () => {
    const { creator, assignee, watcher } = await finished('succeeded', { result: 'It works' });
    expect(creator).toMatchObject([{ kind: 'review_asked', excerpt: 'It works' }]);
    expect(watcher).toMatchObject([{ kind: 'review_asked' }]);
    expect(assignee).toEqual([]);
  });

  it('are not sent when it was canceled', async () => {
    expect(await finished('canceled')).toEqual({ creator: [], assignee: [], watcher: [] });
  });
});
