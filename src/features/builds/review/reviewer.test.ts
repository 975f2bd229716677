import { beforeEach, describe, expect } from 'vitest';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { openSharedReviewRoom } from '../../../../tests/support/review-room.js';

const the = await openSharedReviewRoom();

beforeEach(() => policy({ reviewer: { profile: 'codex.coding', on: 'all' }, rework: { on_gate: false } }));

const policy = (body: object) => the.room.call('PUT', '/api/v1/factory/builds/policy', body);
const look = () => the.world.runJob('build-gate');
const VERDICT = {
  verdict: 'concerns',
  comments: [{ path: 'src/main.ts', line: 1, body: 'Why 43?', severity: 'major' }],
};
const FILES = { 'src/main.ts': 'export const answer = 43;\n' };

async function underReview(fields: Record<string, unknown> = {}) {
  const done = await the.succeed({ fields, files: FILES });
  await look();
  const review = await the.room.take(the.desk);
  return { ...done, review };
}

const end = (review: { buildId: string; claim: string }, body: object) =>
  the.room.finish(the.desk, review.buildId, review.claim, body);

async function rpc(token: string, name: string, args: object) {
  const response = await the.world.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });
  return response.body;
}

describe('policy.reviewer', () => {
  it('has no reviewer by default, and keeps the fields that a request omits', async () => {
    const fresh = await the.world.furnish();
    const before = await fresh.call('GET', '/api/v1/factory/builds/policy');
    expect(before.body).toMatchObject({ reviewer: null });
    const changed = await policy({ max_minutes: 50 });
    expect(changed.body).toMatchObject({ reviewer: { profile: 'codex.coding', on: 'all' }, max_minutes: 50 });
    expect((await policy({ reviewer: null, max_minutes: null })).body).toMatchObject({ reviewer: null });
  });

  it('returns 422 for an unknown profile', async () => {
    const refused = await policy({ reviewer: { profile: 'nobody.coding', on: 'all' } });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('nobody.coding') },
    });
  });
});

describe('A review by a second coder', () => {
  it('runs as a build of kind review on the head, with card, checks and diff instructions in its brief', async () => {
    const { buildId, head, review, card } = await underReview({ instructions: 'Answer with 43' });
    expect(await the.room.get(buildId)).toMatchObject({
      kind: 'build',
      status: 'checking',
      finished_at: null,
      reviews: [{ build_id: review.buildId, verdict: null }],
    });
    const shown = await the.room.get(review.buildId);
    expect(shown).toMatchObject({ kind: 'review', coder: 'codex', profile: 'codex.coding', base_sha: head });
    const { body: brief } = await the.room.call<string>(
      'GET',
      `/api/v1/factory/builds/${review.buildId}/brief`,
    );
    expect(brief).toContain('Answer with 43');
    expect(brief).toContain(`git diff ${the.room.baseSha} ${head}`);
    expect(brief).toContain('The project has none.');
    const base = await the.git.fetchBase(the.desk, review);
    expect(base.statusCode).toBe(200);
    expect((await the.room.readCard(card.id))['status']).toBe('in_progress');
    await end(review, { outcome: 'succeeded', review: VERDICT });
    await look();
  });

  it('ends the build with its verdict, comments on the lines and the card in review', async () => {
    const { buildId, review, card } = await underReview();
    expect((await end(review, { outcome: 'succeeded', review: VERDICT })).status).toBe(200);
    await look();
    expect(await the.room.get(buildId)).toMatchObject({
      status: 'succeeded',
      reviews: [{ build_id: review.buildId, ...VERDICT }],
    });
    expect((await the.room.readCard(card.id))['status']).toBe('in_review');
    const { body } = await the.room.call<{ comments: object[] }>(
      'GET',
      `/api/v1/factory/builds/${buildId}/comments`,
    );
    expect(body.comments).toMatchObject([
      { path: 'src/main.ts', line: 1, body: '**major** Why 43?', author: { agent_id: 'codex' } },
    ]);
    const { body: list } = await the.room.call<{ builds: { build_id: string; reviews: object[] }[] }>(
      'GET',
      `/api/v1/factory/builds?task_id=${card.id}`,
    );
    expect(list.builds.find((one) => one.build_id === buildId)!.reviews).toEqual([
      { build_id: review.buildId, verdict: 'concerns' },
    ]);
  });

  itDeeply(
    'takes the verdict from the done tool, or else from the last JSON object in its result',
    async () => {
      const first = await underReview();
      const started = await the.room.start(the.desk, first.review.buildId, first.review.claim);
      expect(started.body).toMatchObject({ kind: 'review', setup: null });
      expect(await rpc(started.body.mcp.token, 'done', { verdict: 'pass', comments: [] })).toContain(
        'success',
      );
      await end(first.review, { outcome: 'succeeded' });
      const second = await underReview();
      await end(second.review, {
        outcome: 'succeeded',
        result:
          'I looked at it.\n```json\n{"verdict": "fail", "comments": [{"path": "gone.ts", "body": "No"}]}\n```\n',
      });
      await look();
      expect(await the.room.get(first.buildId)).toMatchObject({
        status: 'succeeded',
        reviews: [{ verdict: 'pass' }],
      });
      expect(await the.room.get(second.buildId)).toMatchObject({
        status: 'succeeded',
        reviews: [{ verdict: 'fail', comments: [{ path: 'gone.ts', body: 'No', severity: 'info' }] }],
      });
    },
  );

  itDeeply('discards commits of the reviewer', async () => {
    const { review, head } = await underReview();
    const repository = await the.git.checkOut(the.desk, review);
    repository.save({ 'mine.md': 'x\n' });
    const { branch } = await the.room.get(review.buildId);
    const sent = await the.git.handIn(the.desk, review, the.git.bundle(repository, `${head}..${branch}`));
    expect(sent).toMatchObject({ status: 200, body: { head_sha: head } });
    repository.dispose();
    await end(review, { outcome: 'succeeded', review: { verdict: 'pass', comments: [] } });
    expect((await the.room.get(review.buildId)).head_sha).toBeNull();
    await look();
  });

  it.each([
    ['failed', { outcome: 'failed', reason: 'out of words' }, 'failed (out of words)'],
    ['without a verdict', { outcome: 'succeeded', result: 'Fine.' }, 'without a verdict'],
  ])('passes the build to a person and says why when the review %s', async (_, body, said) => {
    const { buildId, review } = await underReview();
    await end(review, body);
    await look();
    const build = await the.room.get(buildId);
    expect(build.status).toBe('succeeded');
    expect(build.gate!.notes).toContainEqual({ kind: 'review', text: expect.stringContaining(said) });
  });

  itDeeply(
    'passes the build to a person when the review is canceled, and is canceled with its build',
    async () => {
      const first = await underReview();
      await the.room.call('POST', `/api/v1/factory/builds/${first.review.buildId}/cancel`);
      await end(first.review, { outcome: 'canceled' });
      await look();
      expect((await the.room.get(first.buildId)).status).toBe('succeeded');
      const second = await the.succeed({ files: FILES });
      await look();
      await the.room.call('POST', `/api/v1/factory/builds/${second.buildId}/cancel`);
      await look();
      const [review] = (await the.room.get(second.buildId)).reviews;
      expect((await the.room.get(review!.build_id)).status).toBe('canceled');
    },
  );

  it('is refused with 422 when all writing coders are of its family, unless same_family is set', async () => {
    const own = { profile: 'claude.coding', on: 'all' };
    const fresh = await the.world.furnish();
    for (const room of [the.room, fresh]) {
      const put = (reviewer: object) => room.call('PUT', '/api/v1/factory/builds/policy', { reviewer });
      expect(await put(own)).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining('same_family') },
      });
      expect((await put({ ...own, profile: 'codex.coding' })).status).toBe(200);
      expect((await put({ ...own, same_family: true })).status).toBe(200);
    }
    const { review } = await underReview();
    expect((await the.room.get(review.buildId)).kind).toBe('review');
    await end(review, { outcome: 'succeeded', review: { verdict: 'pass', comments: [] } });
    await look();
  });

  it('skips a change that a coder of its own family wrote', async () => {
    await the.room.build((await the.room.card()).id, { coder: 'codex' });
    const other = await the.room.take(the.desk);
    await the.room.finish(the.desk, other.buildId, other.claim, { outcome: 'failed' });
    expect((await policy({ reviewer: { profile: 'claude.coding', on: 'all' } })).status).toBe(200);
    const { buildId } = await the.succeed({ files: FILES });
    await look();
    const alone = await the.room.get(buildId);
    expect(alone).toMatchObject({ status: 'succeeded', reviews: [] });
    expect(alone.gate!.notes).toContainEqual({ kind: 'review', text: expect.stringContaining('family') });
  });

  it('refuses done without a verdict, even with an empty list of comments', async () => {
    const { buildId, review } = await underReview();
    const started = await the.room.start(the.desk, review.buildId, review.claim);
    for (const args of [{ comments: [] }, {}])
      expect(await rpc(started.body.mcp.token, 'done', args)).toContain('verdict is required');
    expect((await the.room.get(review.buildId)).confirmed).toBe(false);
    await end(review, { outcome: 'succeeded' });
    await look();
    expect((await the.room.get(buildId)).gate!.notes).toContainEqual({
      kind: 'review',
      text: expect.stringContaining('without a verdict'),
    });
  });

  itDeeply('on: risky reviews only builds with a risk of 50 or more', async () => {
    await policy({ reviewer: { profile: 'codex.coding', on: 'risky' } });
    const { buildId } = await the.succeed({ files: FILES });
    expect((await the.room.get(buildId)).status).toBe('checking');
    await look();
    const calm = await the.room.get(buildId);
    expect(calm).toMatchObject({ status: 'succeeded', reviews: [] });
    expect(calm.risk!.score).toBeLessThan(50);
    const risky = await the.succeed({
      files: {
        '.github/workflows/ci.yml': 'jobs: {}\n# continue-on-error: true\n',
        'src/main.ts':
          'export function pay(cents: number) {\n  // TODO\n  return 0;\n}\nexport const key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";\n',
      },
    });
    await look();
    const shown = await the.room.get(risky.buildId);
    expect(shown.risk!.score).toBeGreaterThanOrEqual(50);
    expect(shown.reviews).toHaveLength(1);
    await the.room.call('POST', `/api/v1/factory/builds/${risky.buildId}/cancel`);
    await look();
  });

  it('starts a rework after a fail verdict only if rework.on_gate allows it', async () => {
    await policy({ rework: { on_gate: true } });
    const { buildId, review, card } = await underReview();
    await end(review, { outcome: 'succeeded', review: { ...VERDICT, verdict: 'fail' } });
    await look();
    expect(await the.room.get(buildId)).toMatchObject({ status: 'failed', reviews: [{ verdict: 'fail' }] });
    const { body } = await the.room.call<{ builds: { attempt: number; status: string; kind: string }[] }>(
      'GET',
      `/api/v1/factory/builds?task_id=${card.id}&state=open`,
    );
    expect(body.builds).toMatchObject([{ attempt: 2, status: 'queued', kind: 'build' }]);
    const next = await the.room.take(the.desk);
    const { body: brief } = await the.room.call<string>(
      'GET',
      `/api/v1/factory/builds/${next.buildId}/brief`,
    );
    expect(brief).toContain('Why 43?');
    await the.room.finish(the.desk, next.buildId, next.claim, { outcome: 'canceled' });
  });

  itDeeply('cannot be reviewed or continued, and does not count as an open build of its card', async () => {
    const { review, card } = await underReview();
    await end(review, { outcome: 'succeeded', review: { verdict: 'pass', comments: [] } });
    await look();
    const decide = await the.room.call('POST', `/api/v1/factory/builds/${review.buildId}/review`, {
      decision: 'accept',
    });
    expect(decide.status).toBe(409);
    expect((await the.room.post(card.id, { continues: review.buildId })).status).toBe(422);
    const queue = await the.room.call<{ builds: { kind: string }[] }>(
      'GET',
      '/api/v1/factory/builds?review=to_review',
    );
    expect(queue.body.builds.every(({ kind }) => kind === 'build')).toBe(true);
    expect((await the.room.post(card.id)).status).toBe(201);
    const next = await the.room.take(the.desk);
    await the.room.finish(the.desk, next.buildId, next.claim, { outcome: 'canceled' });
  });

  it('waits for a budget without a time limit, and starts once there is one', async () => {
    const { buildId } = await the.succeed({ files: FILES });
    await policy({ budget: { day_usd: 0 } });
    await look();
    const [review] = (await the.room.get(buildId)).reviews;
    const waits = () => the.room.get(review!.build_id);
    for (let hour = 0; hour < 5; hour += 1) {
      expect(await the.room.work(the.desk)).toEqual([]);
      expect(await waits()).toMatchObject({ status: 'queued', waiting_for: 'budget' });
      await the.world.advance(3600);
      await look();
    }
    await policy({ budget: { day_usd: null } });
    await the.world.advance(60);
    await look();
    expect(await waits()).toMatchObject({ status: 'queued', waiting_for: 'desk' });
    const taken = await the.room.take(the.desk);
    expect(taken.buildId).toBe(review!.build_id);
    await end(taken, { outcome: 'succeeded', review: { verdict: 'pass', comments: [] } });
    await look();
    expect(await the.room.get(buildId)).toMatchObject({
      status: 'succeeded',
      reviews: [{ verdict: 'pass' }],
    });
  });

  itDeeply('passes the build to a person when no desk takes the review for two hours', async () => {
    const { buildId } = await the.succeed({ files: FILES });
    await look();
    expect((await the.room.get(buildId)).status).toBe('checking');
    await the.world.advance(2 * 60 * 60 + 1);
    await look();
    await look();
    const build = await the.room.get(buildId);
    expect(build.status).toBe('succeeded');
    expect(build.gate!.notes).toContainEqual({
      kind: 'review',
      text: expect.stringContaining('No desk took'),
    });
  });
});
