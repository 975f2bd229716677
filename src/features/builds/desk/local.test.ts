import { describe, expect, it } from 'vitest';
import { checkouts } from '../../../../tests/support/build-checkouts.js';
import { openBuildWorld } from '../../../../tests/support/build-world.js';
import { ScratchRepository } from '../../../../tests/support/scratch-repository.js';
import type { BuildView } from '../builds.schemas.js';

const world = await openBuildWorld();
const room = await world.furnish();

interface Refused {
  detail: string;
}

const begin = async (more: object = {}) => {
  const card = await room.card();
  return { card, build: await room.build(card.id, { local: true, ...more }) };
};
const pathOf = (buildId: string, what: string) => `/api/v1/factory/builds/${buildId}/${what}`;
const finish = (buildId: string, body: object, headers?: Record<string, string>) =>
  room.call<Refused & { status: string }>('POST', pathOf(buildId, 'finish'), body, headers);

const handIn = async (
  buildId: string,
  bundle: Buffer,
  headers: Record<string, string> = room.space.bearer,
) => {
  const response = await world.inject({
    method: 'PUT',
    url: pathOf(buildId, 'commits'),
    headers: { ...headers, 'content-type': 'application/x-git-bundle' },
    payload: bundle,
  });
  return { status: response.statusCode, body: response.json() as Refused & { head_sha: string } };
};

/** A person's worktree with a commit on the branch of the build. */
function work({ branch, base_sha }: BuildView, files: Record<string, string> = { 'a.md': 'Done.\n' }) {
  const clone = new ScratchRepository();
  clone.git('fetch', '--quiet', room.repository.folder, 'main');
  clone.git('checkout', '--quiet', '-b', branch, base_sha);
  const head = clone.save(files);
  const bundle = checkouts(room).bundle(clone, `${base_sha}..${branch}`);
  clone.dispose();
  return { head, bundle };
}

const succeed = async () => {
  const { card, build } = await begin();
  const { head, bundle } = work(build);
  expect(await handIn(build.build_id, bundle)).toEqual({ status: 200, body: { head_sha: head } });
  const said = { outcome: 'succeeded', result: 'Did it by hand' };
  expect((await finish(build.build_id, said)).status).toBe(200);
  return { card, build, head, said };
};

const memberOf = async (scopes?: ['code:read']) => {
  const { brand } = room.space;
  return { authorization: `Bearer ${await world.token(brand, await world.member(brand), scopes)}` };
};

describe('POST /api/v1/board/tasks/{task_id}/builds with local', () => {
  it('starts at once without a desk, returns the brief and moves the card to in progress', async () => {
    const desk = await room.readyDesk();
    const { card, build } = await begin({ note: 'By hand.' });
    expect(build).toMatchObject({
      status: 'running',
      local: true,
      waiting_for: null,
      workstation_id: null,
      settings: null,
      branch: `guildhall/${card.ref.toLowerCase()}-1`,
      base_sha: room.baseSha,
      started_at: expect.any(String),
      brief_digest: expect.any(String),
    });
    expect(await room.work(desk)).toEqual([]);
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'in_progress',
      branch: build.branch,
      runtime: 'local',
      attempt: 1,
    });
    const { body: brief } = await room.call<string>('GET', pathOf(build.build_id, 'brief'));
    expect(brief).toContain('By hand.');
    expect(brief).toContain('guildhall done');
    const entries = (await room.activity()).filter(({ task_id }) => task_id === card.id);
    expect(entries.filter(({ changes }) => 'started_at' in changes)).toHaveLength(1);
  });

  it('is the only open build of its card, and counts as open', async () => {
    const { card, build } = await begin();
    for (const body of [{}, { local: true }]) {
      const refused = await room.post(card.id, body);
      expect([refused.status, refused.body.detail]).toMatchObject([
        409,
        { error: 'build_open', build_id: build.build_id },
      ]);
    }
    const policy = '/api/v1/factory/builds/policy';
    const { body: open } = await room.call<{ total: number }>('GET', '/api/v1/factory/builds?state=open');
    await room.call('PUT', policy, { max_open: open.total });
    expect((await room.post((await room.card()).id, { local: true })).status).toBe(429);
    await room.call('PUT', policy, { max_open: null, enabled: false });
    expect((await room.post((await room.card()).id, { local: true })).status).toBe(403);
    expect(await room.get(build.build_id), 'what runs is not touched').toMatchObject({ status: 'running' });
    await room.call('PUT', policy, { enabled: true });
  });

  it('rejects a desk in the request', async () => {
    const desk = await room.readyDesk();
    const refused = await room.post((await room.card()).id, { local: true, workstation_id: desk.id });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      'workstation_id must be left out of a build on your own machine',
    ]);
  });

  it('is neither silent nor lost, and ends after 14 days without a report', async () => {
    const { card, build } = await begin();
    await world.advance(13 * 24 * 3600);
    await world.runJob('build-pass');
    expect(await room.get(build.build_id)).toMatchObject({ status: 'running', silent: false });
    await world.advance(24 * 3600 + 601);
    const reason = 'Nothing was submitted for 14 days';
    expect(await room.get(build.build_id)).toMatchObject({ status: 'timed_out', reason });
    await world.runJob('build-pass');
    expect(await room.get(build.build_id)).toMatchObject({ status: 'timed_out', reason });
    expect(await room.readCard(card.id)).toMatchObject({ status: 'blocked', error_message: reason });
    const late = await handIn(build.build_id, work(build).bundle);
    expect([late.status, late.body.detail]).toEqual([409, 'This build is finished: timed_out']);
  });

  it('is canceled at once, and together with its card', async () => {
    const { card, build } = await begin();
    const canceled = await room.call('POST', pathOf(build.build_id, 'cancel'));
    expect([canceled.status, canceled.body]).toMatchObject([
      202,
      { status: 'canceled', reason: 'Canceled before it was submitted' },
    ]);
    expect(await room.readCard(card.id)).toMatchObject({ status: 'pending' });
    expect((await finish(build.build_id, { outcome: 'succeeded' })).body.detail).toBe(
      'This build is finished: canceled',
    );
    const other = await begin();
    await room.call('DELETE', `/api/v1/board/tasks/${other.card.id}`);
    await world.runJob('build-pass');
    expect(await room.get(other.build.build_id)).toMatchObject({
      status: 'canceled',
      reason: 'The card was deleted',
    });
  });
});

describe("Submitting a build from a person's own machine", () => {
  it('runs the same steps as on a desk: commits, diff, card, review and push', async () => {
    const { card, build, head, said } = await succeed();
    expect(await room.get(build.build_id)).toMatchObject({
      status: 'succeeded',
      head_sha: head,
      result: 'Did it by hand',
      diff: { files: 1, insertions: 1, deletions: 0 },
    });
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'in_review',
      commit_sha: head,
      result: 'Did it by hand',
    });
    expect((await room.call<string>('GET', pathOf(build.build_id, 'diff'))).body).toContain('+Done.');
    expect((await room.call('GET', pathOf(build.build_id, 'impact'))).status).toBe(200);
    expect((await finish(build.build_id, said)).status, 'said again').toBe(200);
    expect((await finish(build.build_id, { outcome: 'failed' })).status).toBe(409);
    expect((await handIn(build.build_id, work(build).bundle)).status).toBe(409);
    await room.call('POST', pathOf(build.build_id, 'review'), { decision: 'accept' });
    await world.runJob('build-push');
    expect(room.repository.git('rev-parse', build.branch)).toBe(head);
  });

  it('blocks the card with the reason when the build failed', async () => {
    const { card, build } = await begin();
    await finish(build.build_id, { outcome: 'failed', reason: 'The lamp is broken' });
    expect(await room.readCard(card.id)).toMatchObject({
      status: 'blocked',
      error_code: 'failed',
      error_message: 'The lamp is broken',
    });
  });

  it('refuses an invalid bundle and another branch, as for desks', async () => {
    const { build } = await begin();
    expect((await handIn(build.build_id, Buffer.from('no'))).status).toBe(422);
    const { bundle } = work({ ...build, branch: 'elsewhere' });
    const refused = await handIn(build.build_id, bundle);
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      `The bundle does not hold the branch ${build.branch}`,
    ]);
    expect(await room.get(build.build_id)).toMatchObject({ head_sha: null });
  });

  it('is only for the person who started the build, without read-only tokens and other workspaces', async () => {
    const { build } = await begin();
    const { bundle } = work(build);
    const other = await world.furnish();
    const said = { outcome: 'succeeded' };
    for (const [headers, status] of [
      [await memberOf(), 403],
      [await memberOf(['code:read']), 403],
      [other.space.bearer, 404],
    ] as const) {
      expect((await finish(build.build_id, said, headers)).status).toBe(status);
      expect((await handIn(build.build_id, bundle, headers)).status).toBe(status);
    }
    expect(await room.get(build.build_id)).toMatchObject({ status: 'running', head_sha: null });
  });

  it('refuses builds that belong to a desk', async () => {
    const { id } = await room.card();
    const build = await room.build(id);
    const refused = await finish(build.build_id, { outcome: 'succeeded' });
    expect([refused.status, refused.body.detail]).toEqual([409, 'A desk runs this build']);
    expect((await handIn(build.build_id, work(build).bundle)).status).toBe(409);
    await room.call('POST', pathOf(build.build_id, 'cancel'));
  });

  it.each([
    [{ outcome: 'canceled' }, 'outcome must be one of: succeeded, failed'],
    [
      { outcome: 'succeeded', conversation: [{ role: 'user', content: 'Learn this' }] },
      'conversation and held_until can only be set by desks',
    ],
    [
      { outcome: 'succeeded', held_until: '2030-01-01T00:00:00Z' },
      'conversation and held_until can only be set by desks',
    ],
  ])('refuses %j: %s', async (body, words) => {
    const { build } = await begin();
    const refused = await finish(build.build_id, body);
    expect([refused.status, refused.body.detail]).toEqual([422, words]);
  });
});
