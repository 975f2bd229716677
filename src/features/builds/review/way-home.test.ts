import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { openSharedReviewRoom } from '../../../../tests/support/review-room.js';

const { world, room, desk, git, succeed } = await openSharedReviewRoom();

const accept = (buildId: string) =>
  room.call('POST', `/api/v1/factory/builds/${buildId}/review`, { decision: 'accept' });
const commitOf = (branch: string) => room.repository.git('rev-parse', `refs/heads/${branch}`);
const isThere = (branch: string) => room.repository.git('branch', '--list', branch) !== '';

const connect = () =>
  sql`
  insert into project_forges (project_id, brand_id, kind, api_url, repository, sealed_token, default_branch, connected_at, look_at)
  values (${room.projectId}, ${room.space.brand.brand_id}, 'github', 'https://host.test', 'a/b', '', 'main', now(), now())
  on conflict do nothing`.execute(world.db);

let numbers = 0;

const openPullRequest = (cardId: string, buildId: string, branch: string, head: string) =>
  sql`
  insert into pull_requests (project_id, number, brand_id, card_id, url, state, head_branch, head_sha, base_branch, build_id,
    pushed_sha, created_at)
  values (${room.projectId}, ${++numbers}, ${room.space.brand.brand_id}, ${cardId}, 'https://host.test/1', 'open', ${branch}, ${head},
    'main', ${buildId}, ${head}, now())`.execute(world.db);

const wishesOf = async (cardId: string) =>
  (
    await sql<{ build_id: string; branch: string; commit_sha: string }>`
      select build_id, branch, commit_sha from pull_request_wishes where card_id = ${cardId}`.execute(
      world.db,
    )
  ).rows;

/** A card whose first attempt has an open pull request, and a second attempt that continues it. */
async function twoAttempts() {
  await connect();
  const { card, ...first } = await succeed();
  await accept(first.buildId);
  await world.runJob('build-push');
  const { branch } = await room.get(first.buildId);
  await sql`delete from pull_request_wishes where card_id = ${card.id}`.execute(world.db);
  await openPullRequest(card.id, first.buildId, branch, first.head);
  await room.build(card.id, { continues: first.buildId });
  const second = await git.succeed(desk, { 'again.md': `${Math.random()}\n` });
  return { card, first, second, branch };
}

describe('Accepting a build', () => {
  it('ends the card after the push when the project has no repository host', async () => {
    const { buildId, card } = await succeed();
    await accept(buildId);
    expect(await room.readCard(card.id)).toMatchObject({ status: 'in_review', review_state: 'approved' });
    await world.runJob('build-push');
    expect(await room.readCard(card.id)).toMatchObject({ status: 'done', review_state: 'approved' });
    expect(await wishesOf(card.id)).toEqual([]);
  });

  it('leaves the card in review when the project has one, because the merge ends it', async () => {
    await connect();
    const { buildId, card, head } = await succeed();
    expect(await accept(buildId)).toMatchObject({ status: 200 });
    expect(await room.readCard(card.id)).toMatchObject({ status: 'in_review' });
    await world.runJob('build-push');
    const { branch } = await room.get(buildId);
    expect(await room.readCard(card.id)).toMatchObject({ status: 'in_review' });
    expect(await wishesOf(card.id)).toEqual([{ build_id: buildId, branch, commit_sha: head }]);
  });

  it('ends the card when there are no commits to merge', async () => {
    await connect();
    const card = await room.card();
    await room.build(card.id);
    const taken = await room.take(desk);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded' });
    await accept(taken.buildId);
    expect(await room.readCard(card.id)).toMatchObject({ status: 'done' });
  });
});

describe('A card with a pull request', () => {
  it('keeps its branch during another attempt, and the review state that the host reports', async () => {
    const { card, second, branch } = await twoAttempts();
    expect(await room.readCard(card.id)).toMatchObject({ branch, review_state: 'approved' });
    await room.call('PATCH', `/api/v1/board/tasks/${card.id}`, { review_state: 'requested' });
    const comments = [{ body: 'Again, please.' }];
    const body = { decision: 'rework', comments };
    const { status } = await room.call('POST', `/api/v1/factory/builds/${second.buildId}/review`, body);
    expect(status).toBe(201);
    expect((await room.readCard(card.id)).review_state).toBe('requested');
    const third = await git.succeed(desk, { 'third.md': `${Math.random()}\n` });
    await accept(third.buildId);
    await world.runJob('build-push');
    expect((await room.readCard(card.id)).review_state).toBe('requested');
  });

  it('returns 200 and changes nothing when it is accepted after the merge', async () => {
    const { card, first, second, branch } = await twoAttempts();
    await sql`update pull_requests set state = 'merged', ended_at = ${world.clock.now()} where card_id = ${card.id}`.execute(
      world.db,
    );
    for (const { buildId } of [first, second]) {
      const before = [await room.get(buildId), await room.readCard(card.id)];
      const answer = await accept(buildId);
      expect([answer.status, answer.body]).toEqual([200, before[0]]);
      await world.runJob('build-push');
      expect([await room.get(buildId), await room.readCard(card.id)]).toEqual(before);
    }
    expect(commitOf(branch)).toBe(first.head);

    // A build that starts after the merge is new work.
    await world.advance(1);
    await room.build(card.id);
    const next = await git.succeed(desk, { 'next.md': `${Math.random()}\n` });
    await accept(next.buildId);
    expect((await room.get(next.buildId)).review).toMatchObject({ decision: 'accept' });
  });
});

describe('A later attempt of a card with an open pull request', () => {
  it('is pushed to its branch when it builds on that branch', async () => {
    const { card, second, branch } = await twoAttempts();
    await accept(second.buildId);
    expect(await world.runJob('build-push')).toMatchObject({ failed: 0 });
    expect(commitOf(branch)).toBe(second.head);
    const shown = await room.get(second.buildId);
    expect([shown.branch === branch, isThere(shown.branch)]).toEqual([false, false]);
    // The branch that people see exists.
    expect(shown.pushed_branch).toBe(branch);
    expect((await room.readCard(card.id)).branch).toBe(branch);
    expect(await wishesOf(card.id)).toMatchObject([{ build_id: second.buildId, branch }]);
    expect(await room.get(second.buildId)).toMatchObject({ pushed_at: expect.any(String), push_error: null });
  });

  itDeeply('is pushed from a node that has never seen the commits', async () => {
    const { second, branch } = await twoAttempts();
    await accept(second.buildId);
    rmSync(join(world.config.dataDir, 'mirrors', `${room.projectId}.git`), { recursive: true });
    await world.runJob('build-push');
    expect(commitOf(branch)).toBe(second.head);
  });

  it('is pushed to its own branch when someone else has pushed there', async () => {
    const { card, second, branch } = await twoAttempts();
    const theirs = pushByHand(branch);
    await accept(second.buildId);
    await world.runJob('build-push');
    const { branch: own, pushed_branch } = await room.get(second.buildId);
    expect([commitOf(branch), commitOf(own), pushed_branch]).toEqual([theirs, second.head, undefined]);
    expect((await room.readCard(card.id)).branch).toBe(own);
    expect(await wishesOf(card.id)).toMatchObject([{ build_id: second.buildId, branch: own }]);
  });

  itDeeply(
    'recognizes an earlier push whose response was lost, even when someone else has pushed on top of it',
    async () => {
      const { card, second, branch } = await twoAttempts();
      room.repository.git(
        'fetch',
        '--quiet',
        join(world.config.dataDir, 'mirrors', `${room.projectId}.git`),
        second.head,
      );
      room.repository.git('update-ref', `refs/heads/${branch}`, second.head);
      const theirs = pushByHand(branch);
      await accept(second.buildId);
      await world.runJob('build-push');
      expect(commitOf(branch)).toBe(theirs);
      expect(isThere((await room.get(second.buildId)).branch)).toBe(false);
      expect(await wishesOf(card.id)).toMatchObject([{ branch }]);
    },
  );

  itDeeply('does not recreate a branch that was deleted', async () => {
    const { second, branch } = await twoAttempts();
    room.repository.git('branch', '-D', branch);
    await accept(second.buildId);
    await world.runJob('build-push');
    expect([isThere(branch), isThere((await room.get(second.buildId)).branch)]).toEqual([false, true]);
  });

  itDeeply('gets its own branch when it does not continue the earlier attempt', async () => {
    const { card, first, branch } = await twoAttempts();
    await room.build(card.id);
    const third = await git.succeed(desk, { 'other.md': 'From the beginning\n' });
    await accept(third.buildId);
    await world.runJob('build-push');
    expect(commitOf(branch)).toBe(first.head);
    expect(commitOf((await room.get(third.buildId)).branch)).toBe(third.head);
  });
});

/** Commits on top of a branch as a person would, without a checkout. */
function pushByHand(branch: string): string {
  const { repository } = room;
  const tree = repository.git('rev-parse', `${branch}^{tree}`);
  const commit = repository.git('commit-tree', tree, '-p', branch, '-m', 'By hand');
  repository.git('update-ref', `refs/heads/${branch}`, commit);
  return commit;
}
