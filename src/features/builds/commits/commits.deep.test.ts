import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkouts } from '../../../../tests/support/build-checkouts.js';
import { openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();
const room = await world.furnish();
const other = await world.furnish();
const desk = await room.readyDesk();
const git = checkouts(room);

const builds = '/api/v1/factory/builds';
const queue = async () => room.build((await room.card()).id, { coder: 'claude' });

async function begin() {
  const build = await queue();
  const taken = await room.take(desk);
  expect(taken.buildId).toBe(build.build_id);
  return taken;
}

const end = (taken: { buildId: string; claim: string }) =>
  room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed' });

describe('GET /api/v1/desk/builds/{build_id}/base', () => {
  it('returns a git bundle that holds base_sha', async () => {
    const taken = await begin();
    const response = await git.fetchBase(desk, taken);
    expect(response.headers['content-type']).toBe('application/x-git-bundle');
    const checkout = await git.checkOut(desk, taken);
    expect(checkout.git('rev-parse', 'HEAD')).toBe((await room.get(taken.buildId)).base_sha);
    checkout.dispose();
    await end(taken);
  });

  it('returns 409 claim_lost without a live claim, and 404 for another workspace', async () => {
    const taken = await begin();
    for (const claim of [undefined, 'wrong']) {
      const refused = await git.fetchBase(desk, { ...taken, claim });
      expect(refused.statusCode).toBe(409);
      expect(refused.json().detail.error).toBe('claim_lost');
    }
    const stranger = await other.readyDesk();
    expect((await git.fetchBase(stranger, taken)).statusCode).toBe(404);
    const neighbour = await room.readyDesk();
    expect((await git.fetchBase(neighbour, taken)).json().detail.error).toBe('claim_lost');
    await end(taken);
  });
});

describe('PUT /api/v1/desk/builds/{build_id}/commits', () => {
  it('accepts a bundle of the branch on top of base_sha, and can be repeated', async () => {
    const taken = await begin();
    const checkout = await git.checkOut(desk, taken);
    const head = checkout.save({ 'src/main.ts': 'export const answer = 43;\n' });
    const { base_sha, branch } = await room.get(taken.buildId);
    const bundle = git.bundle(checkout, `${base_sha}..${branch}`);
    for (let i = 0; i < 2; i++)
      expect(await git.handIn(desk, taken, bundle)).toMatchObject({ status: 200, body: { head_sha: head } });
    expect(await room.get(taken.buildId)).toMatchObject({
      head_sha: head,
      diff: { files: 1, insertions: 1, deletions: 1 },
    });
    const newer = checkout.save({ 'more.md': 'more\n' });
    expect(
      (await git.handIn(desk, taken, git.bundle(checkout, `${base_sha}..${branch}`))).body.head_sha,
    ).toBe(newer);
    await end(taken);
  });

  it('counts as a sign of life, but does not revive a lost build', async () => {
    const taken = await begin();
    const checkout = await git.checkOut(desk, taken);
    checkout.save({ 'heard.md': 'heard\n' });
    const { base_sha, branch } = await room.get(taken.buildId);
    const bundle = git.bundle(checkout, `${base_sha}..${branch}`);
    await world.advance(400);
    expect((await git.handIn(desk, taken, bundle)).status).toBe(200);
    await world.advance(400);
    expect((await room.get(taken.buildId)).status).toBe('running');
    await world.advance(200);
    expect((await git.handIn(desk, taken, bundle)).status).toBe(200);
    expect((await room.get(taken.buildId)).status).toBe('lost');
    await end(taken);
  });

  it('returns 422 for anything else and keeps the earlier commits', async () => {
    const taken = await begin();
    const checkout = await git.checkOut(desk, taken);
    checkout.save({ 'a.md': 'a\n' });
    const { base_sha, branch } = await room.get(taken.buildId);
    checkout.git('branch', 'beside');
    const refused = [
      Buffer.from('no bundle'),
      Buffer.alloc(0),
      git.bundle(checkout, `^${base_sha}`, 'beside'),
      git.bundle(checkout, `^${base_sha}`, branch, 'beside'),
    ];
    for (const payload of refused) expect((await git.handIn(desk, taken, payload)).status).toBe(422);
    expect(await room.get(taken.buildId)).toMatchObject({ head_sha: null, diff: null });
    expect((await room.call('GET', `${builds}/${taken.buildId}/diff`)).status).toBe(404);
    await end(taken);
  });

  it('returns 413 above 64 MiB, and 415 for another content type', async () => {
    const taken = await begin();
    const large = await git.handIn(desk, taken, Buffer.alloc(64 * 1024 * 1024 + 1));
    expect([large.status, large.body]).toEqual([413, { detail: 'The body is larger than 64 MiB' }]);
    const typed = await room.say(desk, 'PUT', `builds/${taken.buildId}/commits`, {
      claim: taken.claim,
      payload: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(typed.status).toBe(415);
    await end(taken);
  });

  it('returns 409 before the start and after the finish, and claim_lost without the claim', async () => {
    await queue();
    const [order] = await room.work(desk);
    const claimed = { buildId: order!.build_id, claim: order!.claim };
    expect(await git.handIn(desk, claimed, Buffer.from('x'))).toMatchObject({
      status: 409,
      body: { detail: 'This build has not been started' },
    });
    await room.start(desk, claimed.buildId, claimed.claim);
    expect((await git.handIn(desk, { buildId: claimed.buildId }, Buffer.from('x'))).body.detail.error).toBe(
      'claim_lost',
    );
    await end(claimed);
    expect(await git.handIn(desk, claimed, Buffer.from('x'))).toMatchObject({
      status: 409,
      body: { detail: 'This build is finished' },
    });
  });
});

describe('GET /api/v1/factory/builds/{build_id}/diff', () => {
  it('returns base to head as text/x-diff, for one path if named', async () => {
    await queue();
    const done = await git.succeed(desk, { 'src/main.ts': 'export const answer = 44;\n', 'b.md': 'b\n' });
    const whole = await room.call<string>('GET', `${builds}/${done.buildId}/diff`);
    expect(whole.headers['content-type']).toBe('text/x-diff; charset=utf-8');
    expect(whole.body).toContain('+export const answer = 44;');
    expect(whole.body).toContain('+++ b/b.md');
    const one = await room.call<string>('GET', `${builds}/${done.buildId}/diff?path=b.md`);
    expect(one.body).toContain('+++ b/b.md');
    expect(one.body).not.toContain('main.ts');
    expect((await room.call('GET', `${builds}/${done.buildId}/diff?path=nowhere`)).body).toBe('');
    for (const path of ['/etc/passwd', '../x', 'a/../../b', '%00'])
      expect((await room.call('GET', `${builds}/${done.buildId}/diff?path=${path}`)).status).toBe(422);
  });

  it('returns 413 above 1 MiB, like the export', async () => {
    await queue();
    const done = await git.succeed(desk, { 'huge.txt': 'a line\n'.repeat(200_000), 'z.md': 'z\n' });
    const refused = await room.call<{ detail: object }>('GET', `${builds}/${done.buildId}/diff`);
    expect(refused.status).toBe(413);
    expect(refused.body.detail).toMatchObject({
      error: 'diff_too_large',
      limit_bytes: 1_048_576,
      retry_with: { path: 'huge.txt' },
      paths: ['huge.txt', 'z.md'],
    });
    expect((await room.call<string>('GET', `${builds}/${done.buildId}/diff?path=z.md`)).status).toBe(200);
  });

  it('returns 404 for another workspace', async () => {
    await queue();
    const done = await git.succeed(desk, { 'c.md': 'c\n' });
    for (const part of ['diff', 'impact', 'brief'])
      expect((await other.call('GET', `${builds}/${done.buildId}/${part}`)).status).toBe(404);
  });

  it('is the same on a node without the commits, even for an attempt that continues another', async () => {
    const card = await room.card();
    await room.build(card.id);
    const first = await git.succeed(desk, { 'first.md': 'first\n' });
    await room.build(card.id, { continues: first.buildId });
    const second = await git.succeed(desk, { 'second.md': 'second\n' });
    expect(await room.get(second.buildId)).toMatchObject({ base_sha: first.head, continues: first.buildId });
    rmSync(join(world.config.dataDir, 'mirrors', `${room.projectId}.git`), { recursive: true });
    const diff = await room.call<string>('GET', `${builds}/${second.buildId}/diff`);
    expect(diff.status).toBe(200);
    expect(diff.body).toContain('+++ b/second.md');
  });

  it('covers base to head, and with from=previous only what this attempt added', async () => {
    const card = await room.card();
    await room.build(card.id);
    const first = await git.succeed(desk, { 'one.md': 'one\n' });
    await room.build(card.id, { continues: first.buildId });
    const second = await git.succeed(desk, { 'two.md': 'two\n' });
    await room.build(card.id, { continues: second.buildId });
    const third = await git.succeed(desk, { 'three.md': 'three\n' });
    const read = async (buildId: string, query: string) =>
      (await room.call<string>('GET', `${builds}/${buildId}/diff${query}`)).body
        .split('\n')
        .filter((line) => line.startsWith('+++ '))
        .map((line) => line.slice('+++ b/'.length));
    for (const query of ['', '?from=base'])
      expect(await read(third.buildId, query)).toEqual(['one.md', 'three.md', 'two.md']);
    expect(await read(third.buildId, '?from=previous')).toEqual(['three.md']);
    expect(await read(first.buildId, '?from=previous')).toEqual(['one.md']);
    expect(await read(third.buildId, '?from=base&path=two.md')).toEqual(['two.md']);
    expect((await room.get(third.buildId)).diff).toMatchObject({ files: 3, insertions: 3 });
    expect((await room.call('GET', `${builds}/${third.buildId}/diff?from=main`)).status).toBe(422);
  });
});

describe('GET /api/v1/factory/builds/{build_id}/impact', () => {
  it('equals lessons:impact for base to head, and returns 404 before commits arrive', async () => {
    room.repository.save({
      'lessons/core/answer.md': '---\ntype: rule\nanchors: ["src/main.ts"]\n---\nNever change the answer.\n',
    });
    await room.call('POST', `/api/v1/projects/${room.projectId}/index`);
    await world.runJob('project-index-wanted');
    const waiting = await queue();
    expect((await room.call('GET', `${builds}/${waiting.build_id}/impact`)).status).toBe(404);
    const done = await git.succeed(desk, { 'src/main.ts': 'export const answer = 45;\n' });
    const impact = await room.call<{ base: string; head: string; touched: { anchors: string[] }[] }>(
      'GET',
      `${builds}/${done.buildId}/impact`,
    );
    expect(impact.status, JSON.stringify(impact.body)).toBe(200);
    expect(impact.body).toMatchObject({ head: done.head, stale: [], moved: [] });
    expect(impact.body.touched.map(({ anchors }) => anchors)).toEqual([['src/main.ts']]);
  });
});
