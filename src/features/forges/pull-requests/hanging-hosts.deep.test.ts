import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type MemoryHost,
  type PullRequestWorkspace,
  startNode,
  startPullRequestWorld,
} from '../../../../tests/support/pull-request-world.js';
import { ForgeFailed } from '../adapter/forge.js';

let opened: Awaited<ReturnType<typeof startPullRequestWorld>>;
let second: Awaited<ReturnType<typeof startNode>>;
let room: PullRequestWorkspace;
let host: MemoryHost;
let unblock = () => {};

beforeAll(async () => {
  opened = await startPullRequestWorld();
  ({ host, room } = opened);
  second = await startNode(host, { database: opened.world.database });
});
afterEach(() => {
  host.heal();
  unblock();
});
afterAll(async () => {
  await second.stop();
  await opened.world.stop();
});

/** Blocks every caller until the test calls `unblock`. */
function hang(): Promise<void> {
  return new Promise<void>((resolve) => {
    const before = unblock;
    unblock = () => {
      before();
      resolve();
    };
  });
}

describe('Host that hangs', () => {
  it('does not delay other projects in this run or the next', async () => {
    const other = await opened.furnish('acme/slow');
    const [ours, theirs] = [await room.acceptAndOpen(), await other.acceptAndOpen()];
    host.before.readPullRequest = (repository) => (repository === 'acme/slow' ? hang() : undefined);
    for (const { card } of [ours, theirs]) host.merge(host.of(card)[0]!.number);
    await room.look();
    expect(await room.readCard(ours.card.id)).toMatchObject({ status: 'done' });
    expect(await other.readCard(theirs.card.id)).toMatchObject({ status: 'in_review' });
    const next = await room.acceptAndOpen();
    host.merge(host.of(next.card)[0]!.number);
    await room.look();
    expect(await room.readCard(next.card.id)).toMatchObject({ status: 'done' });
    host.heal();
    unblock();
    await expect.poll(async () => (await other.readCard(theirs.card.id)).status).toBe('done');
  });
});

describe('Nodes that open pull requests', () => {
  it.each([
    ['before', 'listOpenPullRequests'],
    ['before', 'openPullRequest'],
    ['after', 'openPullRequest'],
    ['before', 'changePullRequest'],
    ['after', 'changePullRequest'],
  ] as const)('a node that stops %s %s leaves the card with one open pull request', async (when, verb) => {
    const { card } = await room.acceptAndOpen();
    host.change(host.of(card)[0]!.number, { head: { branch: 'somewhere-else', sha: 'f00' } });
    await room.acceptBuild({ on: card });
    let isHanging = false;
    host[when][verb] = () => {
      host.heal();
      isHanging = true;
      return hang();
    };
    const first = opened.world.runJob('forge-pulls');
    await expect.poll(() => isHanging).toBe(true);
    await first;
    await second.runJob('forge-pulls');
    expect((await room.readCard(card.id)).pr_number).toBe(host.of(card).at(-1)!.number);
    await opened.world.advance(121);
    await expect.poll(() => +second.clock.now() - +opened.world.clock.now()).toBeGreaterThan(-1000);
    await second.runJob('forge-pulls');
    unblock();
    await opened.world.runJob('forge-pulls');
    const isKept = async () => (await room.readCard(card.id)).pr_number === host.openedFor(card)[0]?.number;
    await expect.poll(isKept).toBe(true);
    await opened.world.runJob('forge-pass');
    expect(host.of(card).map(({ state }) => state)).toEqual(['open', 'closed']);
    expect(await room.readCard(card.id)).toMatchObject({
      pr_number: host.of(card)[0]!.number,
      status: 'in_review',
      error_code: null,
    });
  });

  it('open one pull request when two run at once', async () => {
    const builds = [await room.acceptBuild(), await room.acceptBuild(), await room.acceptBuild()];
    await Promise.all([opened.world, second, opened.world, second].map((node) => node.runJob('forge-pulls')));
    expect(builds.map(({ card }) => host.of(card).length)).toEqual([1, 1, 1]);
  });

  it('announce a merge once when two nodes see it', async () => {
    const { card } = await room.acceptAndOpen();
    host.merge(host.of(card)[0]!.number);
    await Promise.all([opened.world.runJob('forge-pass'), second.runJob('forge-pass')]);
    const entries = (await room.entries(card.id)).filter(({ changes }) => 'merged_at' in changes);
    expect(entries).toHaveLength(1);
  });

  it('leave the card without an error when one is rejected after another has opened it', async () => {
    const { card } = await room.acceptBuild();
    let state: 'asked' | 'refused' | undefined;
    host.before.openPullRequest = async () => {
      host.heal();
      state = 'asked';
      await hang();
      state = 'refused';
      throw new ForgeFailed('refused', 'The host does not accept the token');
    };
    const first = opened.world.runJob('forge-pulls');
    await expect.poll(() => state).toBe('asked');
    await first;
    await opened.world.advance(121);
    await expect.poll(() => +second.clock.now() - +opened.world.clock.now()).toBeGreaterThan(-1000);
    await second.runJob('forge-pulls');
    expect(await room.readCard(card.id)).toMatchObject({ pr_state: 'open', error_code: null });
    unblock();
    await expect.poll(() => state).toBe('refused');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await room.readCard(card.id)).toMatchObject({ pr_state: 'open', error_code: null });
  });
});
