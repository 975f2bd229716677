import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  down,
  type MemoryHost,
  type PullRequestWorkspace,
  startPullRequestWorld,
} from '../../../../tests/support/pull-request-world.js';
import { ForgeFailed } from '../adapter/forge.js';

let opened: Awaited<ReturnType<typeof startPullRequestWorld>>;
let room: PullRequestWorkspace;
let host: MemoryHost;

beforeAll(async () => {
  opened = await startPullRequestWorld();
  ({ host, room } = opened);
});
afterEach(() => host.heal());
afterAll(() => opened.world.stop());

const openPulls = () => opened.world.runJob('forge-pulls');

describe('Accepted build of a connected project', () => {
  it('opens one pull request with the result, links, coder and cost', async () => {
    const { card, buildId } = await room.acceptAndOpen();
    const [only, ...others] = host.of(card);
    expect(others).toEqual([]);
    const { number, title, body, head, base } = only!;
    expect(title).toBe(`${card.ref}: Answer better`);
    expect(body).toContain('```text\nDid it\n```');
    expect(body).toContain(`(http://guildhall.test/dashboard/cards/${card.ref})`);
    expect(body).toContain(`(http://guildhall.test/dashboard/builds/${buildId})`);
    expect(body).toMatch(/Coder: `\w+` · Profile: .* · Cost: /);
    expect(head.branch).toBe((await room.get(buildId)).branch);
    expect(base.branch).toBe('main');
    expect(await room.readCard(card.id)).toMatchObject({
      pr_number: number,
      pr_url: `https://git.example.test/acme/app/pull/${number}`,
      pr_state: 'open',
      checks_state: 'none',
      review_state: 'none',
      merged_at: null,
      status: 'in_review',
    });
  });

  it("reuses the previous attempt's open pull request with a new text", async () => {
    const { card, buildId } = await room.acceptAndOpen();
    const second = await room.acceptAndOpen({ on: card, continues: buildId });
    expect(host.of(card)).toHaveLength(1);
    expect(host.of(card)[0]!.body).toContain(second.buildId);
  });

  it('closes a pull request that cannot be reused before it opens a new one', async () => {
    const { card } = await room.acceptAndOpen();
    const { number } = host.of(card)[0]!;
    host.change(number, { head: { branch: 'somewhere-else', sha: 'f00' } });
    const openThen: number[] = [];
    host.before.openPullRequest = () => void openThen.push(host.openedFor(card).length);
    await room.acceptAndOpen({ on: card });
    expect(openThen).toEqual([0]);
    expect(host.of(card).map(({ state }) => state)).toEqual(['open', 'closed']);
    await room.look();
    expect(await room.readCard(card.id)).toMatchObject({
      pr_number: host.of(card)[0]!.number,
      pr_state: 'open',
      status: 'in_review',
      error_code: null,
    });
  });

  it('opens a new pull request after the previous one was closed', async () => {
    const { card } = await room.acceptAndOpen();
    host.change(host.of(card)[0]!.number, { state: 'closed' });
    await room.acceptAndOpen({ on: card });
    const [open, ...others] = host.openedFor(card);
    expect(others).toEqual([]);
    expect(await room.readCard(card.id)).toMatchObject({ pr_number: open!.number, pr_state: 'open' });
  });

  it('opens no pull request if the project has no forge', async () => {
    await room.call('DELETE', `/api/v1/projects/${room.projectId}/forge`);
    const { card } = await room.acceptAndOpen();
    expect(host.of(card)).toEqual([]);
    expect((await room.shown(card.id)).status).toBe(404);
    await room.connect();
  });
});

describe('Failures while opening a pull request', () => {
  it('a lost answer does not create a second pull request', async () => {
    host.after.openPullRequest = down;
    const { card } = await room.acceptAndOpen();
    host.heal();
    expect((await room.readCard(card.id)).pr_number).toBeNull();
    await openPulls();
    expect(host.of(card)).toHaveLength(1);
    expect(await room.readCard(card.id)).toMatchObject({
      pr_number: host.of(card)[0]!.number,
      error_code: null,
    });
  });

  it('a pull request that was merged before its answer arrived finishes the card', async () => {
    host.after.openPullRequest = down;
    const { card, head } = await room.acceptAndOpen();
    host.heal();
    const { number, head: opened } = host.of(card)[0]!;
    host.change(number, { head: { ...opened, sha: head } });
    host.merge(number);
    host.before.openPullRequest = () => {
      throw new ForgeFailed('invalid', 'There is nothing to merge');
    };
    await openPulls();
    expect(host.of(card)).toHaveLength(1);
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'done',
      pr_number: number,
      pr_state: 'merged',
      error_code: null,
    });
  });

  it.each(['readPullRequest', 'listOpenPullRequests', 'changePullRequest', 'openPullRequest'] as const)(
    'a host that is unreachable before or after %s is retried',
    async (verb) => {
      const { card } = await room.acceptAndOpen();
      host.change(host.of(card)[0]!.number, { head: { branch: 'somewhere-else', sha: 'f00' } });
      host.before[verb] = down;
      await room.acceptAndOpen({ on: card });
      host.heal();
      host.after[verb] = down;
      await openPulls();
      host.heal();
      await openPulls();
      expect(host.of(card).map(({ state }) => state)).toEqual(['open', 'closed']);
      expect(await room.readCard(card.id)).toMatchObject({
        pr_number: host.of(card)[0]!.number,
        status: 'in_review',
      });
    },
  );

  it('a rejection is shown on the card until a retry succeeds', async () => {
    const why = 'There are no commits between main and the branch';
    host.before.openPullRequest = () => {
      throw new ForgeFailed('invalid', why);
    };
    const { card } = await room.acceptAndOpen();
    expect(await room.readCard(card.id)).toMatchObject({
      error_code: 'pr_not_opened',
      error_message: why,
      status: 'in_review',
    });
    expect((await room.shown(card.id)).body).toEqual({ detail: `This card has no pull request: ${why}` });
    host.heal();
    await openPulls();
    expect(await room.readCard(card.id)).toMatchObject({
      error_code: null,
      error_message: null,
      pr_state: 'open',
    });
  });

  it('a final rejection is retried after the token was changed', async () => {
    host.before.openPullRequest = () => {
      throw new ForgeFailed('refused', 'The token may not open pull requests');
    };
    const { card } = await room.acceptAndOpen();
    for (let tries = 1; tries < 6; tries += 1) await openPulls();
    host.heal();
    await openPulls();
    expect(host.of(card)).toEqual([]);
    await room.connect({ token: 'another' });
    await openPulls();
    expect(host.openedFor(card)).toHaveLength(1);
  });

  it('a rate-limited host is not called before the limit ends', async () => {
    const { clock } = opened.world;
    host.before.listOpenPullRequests = () => {
      throw new ForgeFailed(
        'limited',
        'The host asks for a pause',
        new Date(clock.now().getTime() + 600_000),
      );
    };
    const { card } = await room.acceptAndOpen();
    host.heal();
    host.calls.length = 0;
    await openPulls();
    await room.look();
    expect(host.calls).toEqual([]);
    await opened.world.advance(601);
    await openPulls();
    expect(host.openedFor(card)).toHaveLength(1);
  });
});
