import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import { openSharedReviewRoom, type ReviewRoom } from '../../../../tests/support/review-room.js';
import type { InboxItem } from '../../inbox/inbox.schemas.js';
import type { BuildView } from '../builds.schemas.js';
import type { BuildComment } from '../review.schemas.js';

let { world, room, desk, git } = {} as ReviewRoom;
({ world, room, desk, git } = await openSharedReviewRoom());
const ben = await world.member(room.space.brand, { person: await world.person({ full_name: 'Ben Okafor' }) });
const bens = { cookie: await world.signIn(ben, room.space.brand) };

const TEXT = ['one', 'two', 'three', 'four', 'five', ''].join('\n');

async function succeed(files: Record<string, string> = { 'a.md': TEXT }, card?: { id: string }) {
  const on = card ?? (await room.card());
  await room.build(on.id);
  return { ...(await git.succeed(desk, files)), card: on };
}

type Answer = BuildComment & { detail: string; comments: BuildComment[]; total: number };

async function ask(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
  headers = ours(),
) {
  const answer = await world.inject({ method, url, payload, headers });
  return { status: answer.statusCode, body: (answer.body ? answer.json() : undefined) as Answer };
}
const ours = (): Record<string, string> => room.space.bearer;
const at = (buildId: string, more = '') => `/api/v1/factory/builds/${buildId}/comments${more}`;
const say = (buildId: string, body: object, headers?: Record<string, string>) =>
  ask('POST', at(buildId), body, headers);
const list = async (buildId: string, headers?: Record<string, string>) =>
  (await ask('GET', at(buildId), undefined, headers)).body;
const decide = (buildId: string, body: object) =>
  room.call<BuildView & { detail: string }>('POST', `/api/v1/factory/builds/${buildId}/review`, body);
const entriesOf = async (cardId: string) =>
  (await room.activity()).filter(({ task_id, changes }) => task_id === cardId && 'build' in changes);
const inboxOf = async (headers: Record<string, string>, buildId: string): Promise<InboxItem[]> =>
  (await world.inject({ method: 'GET', url: '/api/v1/me/inbox?state=all&limit=200', headers }))
    .json()
    .items.filter(({ build_id }: InboxItem) => build_id === buildId);

/** Finishes the waiting attempt with these files and returns its brief. */
async function takeNext(files: Record<string, string>) {
  const [order] = await room.work(desk);
  const started = await room.start(desk, order!.build_id, order!.claim);
  const taken = { buildId: order!.build_id, claim: order!.claim };
  const repository = await git.checkOut(desk, taken);
  repository.save(files);
  const { base_sha, branch } = await room.get(taken.buildId);
  await git.handIn(desk, taken, git.bundle(repository, `${base_sha}..${branch}`));
  repository.dispose();
  await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded' });
  return { buildId: taken.buildId, brief: started.body.brief as string };
}

describe('POST /api/v1/factory/builds/{build_id}/comments', () => {
  it('stores a comment on a line, a file or the whole build, visible to everyone', async () => {
    const { buildId } = await succeed();
    const line = await say(buildId, { path: 'a.md', line: 4, body: 'Shorter?' });
    expect([line.status, line.body]).toEqual([
      201,
      {
        comment_id: expect.any(String),
        build_id: buildId,
        attempt: 1,
        reply_to: null,
        path: 'a.md',
        line: 4,
        side: 'new',
        outdated: false,
        context: 'one\ntwo\nthree\nfour',
        body: 'Shorter?',
        draft: false,
        author: { user_id: room.space.admin.user_id, name: expect.any(String), agent_id: null },
        created_at: expect.any(String),
        resolved: null,
      },
    ]);
    await say(buildId, { path: 'src/main.ts', body: 'Not touched, but mine.' });
    await say(buildId, { body: 'Well done.' });
    const seen = await list(buildId, bens);
    expect(seen.total).toBe(3);
    expect(seen.comments.map(({ path, line: number }) => [path, number])).toEqual([
      [null, null],
      ['a.md', 4],
      ['src/main.ts', null],
    ]);
  });

  it('puts an answer into its thread, whichever comment it answers', async () => {
    const { buildId } = await succeed();
    const first = (await say(buildId, { path: 'a.md', line: 2, body: 'Why?' })).body;
    const other = (await say(buildId, { path: 'a.md', line: 1, body: 'Before it.' })).body;
    const answer = await say(buildId, { reply_to: first.comment_id, body: 'Because.' }, bens);
    const again = await say(buildId, { reply_to: answer.body.comment_id, body: 'I see.' });
    expect([answer.body.reply_to, again.body.reply_to]).toEqual([first.comment_id, first.comment_id]);
    expect(answer.body).toMatchObject({ path: 'a.md', line: 2, author: { name: 'Ben Okafor' } });
    expect((await list(buildId)).comments.map(({ comment_id }) => comment_id)).toEqual([
      other.comment_id,
      first.comment_id,
      answer.body.comment_id,
      again.body.comment_id,
    ]);
  });

  it('requires a file of the build and an existing line on the named side', async () => {
    const { buildId } = await succeed({
      'a.md': TEXT,
      'src/main.ts': 'export const answer = 43;\nmore();\n',
    });
    const wrong: [object, string][] = [
      [{ path: 'b.md', body: 'x' }, 'path must be a file of this build'],
      [{ path: 'src', body: 'x' }, 'path must be a file of this build'],
      [{ path: '../a.md', body: 'x' }, 'path must be a file of this build'],
      [{ path: 'a.md', line: 6, body: 'x' }, 'line must be at most 5, which is the last line of the file'],
      [{ path: 'a.md', line: 1, side: 'old', body: 'x' }, 'path must be a file of this build'],
      [
        { path: 'src/main.ts', line: 2, side: 'old', body: 'x' },
        'line must be at most 1, which is the last line of the file',
      ],
      [{ line: 1, body: 'x' }, 'line needs a path'],
    ];
    for (const [body, words] of wrong) {
      const refused = await say(buildId, body);
      expect([refused.status, refused.body.detail]).toEqual([422, words]);
    }
    for (const body of [
      {},
      { body: '' },
      { body: ' \n' },
      { body: 'x'.repeat(20_001) },
      { path: 'a.md', line: 0, body: 'x' },
      { path: 'a.md', line: 1, side: 'left', body: 'x' },
      { body: 'x', more: 1 },
    ])
      expect((await say(buildId, body)).status, JSON.stringify(body).slice(0, 60)).toBe(422);
    expect((await say(buildId, { path: 'src/main.ts', line: 2, body: 'x' })).status).toBe(201);
    const old = await say(buildId, { path: 'src/main.ts', line: 1, side: 'old', body: 'x'.repeat(20_000) });
    expect(old.body).toMatchObject({ side: 'old', line: 1, context: 'export const answer = 42;' });
  });

  it('accepts a comment without a path before commits arrive, and returns 409 with a path', async () => {
    const build = await room.build((await room.card()).id);
    expect((await say(build.build_id, { body: 'Hurry.' })).status).toBe(201);
    const refused = await say(build.build_id, { path: 'a.md', body: 'x' });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'No commits of this build have arrived; a comment without a path can be made',
    ]);
    await room.call('POST', `/api/v1/factory/builds/${build.build_id}/cancel`);
  });

  itDeeply('rejects an answer with a path of its own or to a comment that was not sent', async () => {
    const { buildId } = await succeed();
    const other = await succeed();
    const sent = (await say(buildId, { body: 'Said.' })).body.comment_id;
    const draft = (await say(buildId, { body: 'Not yet.', draft: true })).body.comment_id;
    const theirs = (await say(buildId, { body: 'Not yet either.', draft: true }, bens)).body.comment_id;
    expect((await say(buildId, { reply_to: sent, path: 'a.md', body: 'x' })).body.detail).toBe(
      'path belongs to the first comment of a thread, not to an answer',
    );
    for (const [build, reply_to] of [
      [buildId, draft],
      [buildId, theirs],
      [buildId, crypto.randomUUID()],
      [other.buildId, sent],
    ] as const)
      expect((await say(build, { reply_to, body: 'x' })).body.detail).toBe(
        'reply_to must be a comment on this build that was sent',
      );
    expect((await say(buildId, { reply_to: sent.toUpperCase(), body: 'x' })).status).toBe(201);
  });

  it('returns 403 for guests and read-only tokens, and 404 for another workspace', async () => {
    const { buildId } = await succeed();
    const kept = (await say(buildId, { body: 'Ours.' })).body.comment_id;
    const other = (await world.furnish()).space.bearer;
    const guest = await world.person();
    const address = `/api/v1/board/boards/${room.boardId}/guests/${guest.user_id}`;
    expect((await room.call('PUT', address, { role: 'editor' })).status).toBeLessThan(300);
    const visiting = { cookie: await world.signIn(guest, room.space.brand) };
    const token = await world.token(room.space.brand, room.space.admin, ['memory:read']);
    const reading = { authorization: `Bearer ${token}` };
    const calls = [
      ['GET', at(buildId), undefined],
      ['POST', at(buildId), { body: 'x' }],
      ['POST', at(buildId, ':send'), undefined],
      ['PATCH', at(buildId, `/${kept}`), { resolved: true }],
      ['DELETE', at(buildId, `/${kept}`), undefined],
    ] as const;
    for (const [method, url, body] of calls) {
      expect([method, (await ask(method, url, body, other)).status]).toEqual([method, 404]);
      expect([method, (await ask(method, url, body, visiting)).status]).toEqual([method, 403]);
      const read = (await ask(method, url, body, reading)).status;
      expect([method, read]).toEqual([method, method === 'GET' ? 200 : 403]);
    }
    expect((await list(buildId)).comments).toMatchObject([{ body: 'Ours.', resolved: null }]);
  });

  itDeeply('allows at most a thousand comments for the attempts of a card', async () => {
    const { buildId } = await succeed();
    await sql`
      insert into review_comments (comment_id, brand_id, build_id, body, written_at, sent_at)
      select gen_random_uuid(), ${room.space.brand.brand_id}, ${buildId}, 'said ' || n, ${world.clock.now()}, ${world.clock.now()}
      from generate_series(1, 999) n`.execute(world.db);
    expect((await say(buildId, { body: 'The last.' })).status).toBe(201);
    expect((await say(buildId, { body: 'Too much.' })).status).toBe(409);
    expect(await list(buildId)).toMatchObject({ total: 1000 });
  });
});

describe('Draft comments', () => {
  it('are visible to their author only, and are sent together', async () => {
    const { buildId, card } = await succeed();
    for (const body of ['One.', 'Two.'])
      expect((await say(buildId, { path: 'a.md', line: 1, body, draft: true }, bens)).body.draft).toBe(true);
    await say(buildId, { body: 'Mine.', draft: true });
    expect((await list(buildId)).comments).toMatchObject([{ body: 'Mine.', draft: true }]);
    expect((await list(buildId, bens)).total).toBe(2);
    expect(await entriesOf(card.id)).toEqual([]);
    const sent = await ask('POST', at(buildId, ':send'), undefined, bens);
    expect(sent.body.comments).toMatchObject([
      { body: 'One.', draft: false },
      { body: 'Two.', draft: false },
    ]);
    expect((await list(buildId)).comments.map(({ body, draft }) => [body, draft])).toEqual([
      ['Mine.', true],
      ['One.', false],
      ['Two.', false],
    ]);
    expect(await entriesOf(card.id)).toMatchObject([
      {
        action: 'task.commented',
        actor: { name: 'Ben Okafor' },
        changes: { build: { to: { build_id: buildId, event: 'build.commented', comments: 2 } } },
      },
    ]);
    await ask('POST', at(buildId, ':send'), undefined, bens);
    expect(await entriesOf(card.id)).toHaveLength(1);
  });

  it.each(['accept', 'rework'])(
    'are sent with the decision in a single activity entry: %s',
    async (decision) => {
      const { buildId, card } = await succeed();
      await say(buildId, { path: 'a.md', line: 1, body: 'One.', draft: true });
      await say(buildId, { body: 'Two.', draft: true });
      await say(buildId, { body: "Ben's own.", draft: true }, bens);
      const decided = await decide(buildId, { decision });
      expect(decided.status, JSON.stringify(decided.body)).toBeLessThan(300);
      expect((await list(buildId)).comments).toMatchObject([{ draft: false }, { draft: false }]);
      expect((await room.get(buildId)).review).toMatchObject({ decision, comments: 2 });
      expect(await entriesOf(card.id)).toMatchObject([
        { changes: { build: { to: { build_id: buildId, comments: 2 } } } },
      ]);
      if (decision === 'rework')
        await room.call('POST', `/api/v1/factory/builds/${decided.body.build_id}/cancel`);
    },
  );

  itDeeply('stay drafts when the decision is rejected', async () => {
    const { buildId } = await succeed();
    await say(buildId, { body: 'One.', draft: true }, bens);
    const back = await decide(buildId, { decision: 'rework', comments: [{ body: 'Again.' }] });
    const url = `/api/v1/factory/builds/${buildId}/review`;
    expect((await ask('POST', url, { decision: 'accept' }, bens)).status).toBe(409);
    expect((await list(buildId, bens)).comments).toMatchObject([
      { body: 'One.', draft: true },
      { body: 'Again.', draft: false },
    ]);
    await room.call('POST', `/api/v1/factory/builds/${back.body.build_id}/cancel`);
  });

  itDeeply('are deleted when their author leaves, while sent comments stay', async () => {
    const { buildId } = await succeed();
    const cy = await world.member(room.space.brand);
    const theirs = { cookie: await world.signIn(cy, room.space.brand) };
    await say(buildId, { body: 'Kept.' }, theirs);
    await say(buildId, { body: 'Never said.', draft: true }, theirs);
    await sql`delete from users where user_id = ${cy.user_id}`.execute(world.db);
    const { rows } = await sql`
      select body, author_user_id from review_comments where build_id = ${buildId}`.execute(world.db);
    expect(rows).toEqual([{ body: 'Kept.', author_user_id: null }]);
    expect((await list(buildId)).comments).toMatchObject([{ author: null }]);
  });
});

describe('An agent that reviews for a person', () => {
  it('comments under its own name with its own drafts', async () => {
    const { brand, cookie } = room.space;
    await world.operator('POST', '/agents', {
      agent_id: 'critic',
      name: 'Critic',
      brand_id: brand.brand_id,
    });
    const token = { name: 'critic', scopes: ['memory:write'], agent_id: 'critic' };
    const made = await world.inject({
      method: 'POST',
      url: '/api/v1/me/tokens',
      headers: { cookie },
      payload: token,
    });
    const critic = { authorization: `Bearer ${made.json().token}` };
    const { buildId } = await succeed();
    const persons = (await say(buildId, { body: 'Mine, unsent.', draft: true }, { cookie })).body;
    const agents = (await say(buildId, { body: 'Too long.', draft: true }, critic)).body;
    const name = `Critic (for ${room.space.admin.full_name})`;
    expect(agents.author).toEqual({ user_id: room.space.admin.user_id, name, agent_id: 'critic' });

    const bodies = async (headers: Record<string, string>) =>
      (await list(buildId, headers)).comments.map(({ body }) => body);
    expect(await bodies(critic)).toEqual(['Too long.']);
    expect(await bodies({ cookie })).toEqual(['Mine, unsent.']);
    await ask('POST', at(buildId, ':send'), undefined, critic);
    expect(await bodies(bens)).toEqual(['Too long.']);
    await ask('POST', at(buildId, ':send'), undefined, { cookie });

    const change = (id: string, headers: Record<string, string>) =>
      ask('PATCH', at(buildId, `/${id}`), { body: 'Other words.' }, headers);
    expect((await change(persons.comment_id, critic)).status).toBe(403);
    expect((await change(agents.comment_id, critic)).status).toBe(200);
    expect((await change(agents.comment_id, { cookie })).status).toBe(403);
    const remove = (id: string, headers: Record<string, string>) =>
      ask('DELETE', at(buildId, `/${id}`), undefined, headers);
    expect((await remove(persons.comment_id, critic)).status).toBe(403);
    expect((await remove(agents.comment_id, { cookie })).status).toBe(204);
  });
});

describe('PATCH and DELETE /api/v1/factory/builds/{build_id}/comments/{comment_id}', () => {
  it('lets only the author change the text, and everyone resolve a thread', async () => {
    const { buildId } = await succeed();
    const { comment_id } = (await say(buildId, { body: 'Wrog.' })).body;
    const one = at(buildId, `/${comment_id}`);
    expect((await ask('PATCH', one, { body: 'Mine!' }, bens)).status).toBe(403);
    expect((await ask('DELETE', one, undefined, bens)).status).toBe(403);
    expect((await ask('PATCH', one, {})).status).toBe(422);
    expect((await ask('PATCH', one, { body: 'Wrong.' })).body.body).toBe('Wrong.');
    const answer = (await say(buildId, { reply_to: comment_id, body: 'No.' }, bens)).body;
    const resolved = await ask('PATCH', at(buildId, `/${answer.comment_id}`), { resolved: true }, bens);
    expect(resolved.body.resolved).toEqual({
      by: { user_id: ben.user_id, name: 'Ben Okafor', agent_id: null },
      at: expect.any(String),
    });
    expect((await ask('PATCH', one, { resolved: true })).body.resolved).toEqual(resolved.body.resolved);
    expect((await list(buildId)).comments.map((each) => each.resolved?.by?.name)).toEqual([
      'Ben Okafor',
      'Ben Okafor',
    ]);
    expect((await ask('PATCH', one, { resolved: false })).body.resolved).toBeNull();
    expect((await ask('PATCH', one, { resolved: true })).body.resolved?.by?.user_id).toBe(
      room.space.admin.user_id,
    );
  });

  itDeeply('write one activity entry per change of a sent comment and no entry for a draft', async () => {
    const { buildId, card } = await succeed();
    const draft = (await say(buildId, { body: 'Draft.', draft: true })).body.comment_id;
    await ask('PATCH', at(buildId, `/${draft}`), { body: 'Still one.' });
    await ask('DELETE', at(buildId, `/${draft}`));
    const one = at(buildId, `/${(await say(buildId, { body: 'Why?' })).body.comment_id}`);
    await ask('PATCH', one, { body: 'Why not?', resolved: true });
    await ask('PATCH', one, { resolved: false }, bens);
    await ask('DELETE', one);
    const entries = (await room.activity()).filter(({ task_id }) => task_id === card.id).slice(0, 4);
    const told = (event: string) => ({ build: { to: { build_id: buildId, attempt: 1, event } } });
    expect(entries).toMatchObject([
      { action: 'task.updated', changes: told('build.comment-deleted') },
      { action: 'task.updated', changes: told('build.comment-reopened'), actor: { name: 'Ben Okafor' } },
      { action: 'task.updated', changes: told('build.comment-resolved') },
      { action: 'task.commented', changes: told('build.commented') },
    ]);
  });

  itDeeply("return 404 for another person's draft and 422 for resolving a draft", async () => {
    const { buildId } = await succeed();
    const { comment_id } = (await say(buildId, { body: 'Draft.', draft: true })).body;
    const one = at(buildId, `/${comment_id}`);
    for (const method of ['PATCH', 'DELETE'] as const)
      expect((await ask(method, one, method === 'PATCH' ? { body: 'x' } : undefined, bens)).status).toBe(404);
    expect((await ask('PATCH', one, { resolved: true })).status).toBe(422);
    expect((await ask('PATCH', one, { body: 'Better.' })).body).toMatchObject({
      body: 'Better.',
      draft: true,
    });
    expect((await ask('DELETE', one)).status).toBe(204);
    expect((await ask('DELETE', one)).status).toBe(404);
  });

  itDeeply('return 409 for deleting a comment that has answers', async () => {
    const { buildId } = await succeed();
    const { comment_id } = (await say(buildId, { body: 'Why?' })).body;
    const answer = (await say(buildId, { reply_to: comment_id, body: 'Because.' }, bens)).body.comment_id;
    const refused = await ask('DELETE', at(buildId, `/${comment_id}`));
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'This comment was answered; resolve it instead',
    ]);
    expect((await ask('DELETE', at(buildId, `/${answer}`), undefined, bens)).status).toBe(204);
    expect((await ask('DELETE', at(buildId, `/${comment_id}`))).status).toBe(204);
    expect((await list(buildId)).total).toBe(0);
  });
});

describe('A rework', () => {
  it('has the unresolved threads with author and place in its brief, and stores its own commits', async () => {
    const { buildId } = await succeed();
    const first = (await say(buildId, { path: 'a.md', line: 3, body: 'Not three.' }, bens)).body;
    await say(buildId, { reply_to: first.comment_id, body: 'Make it *tres*.' });
    const done = (await say(buildId, { path: 'a.md', line: 4, body: 'Resolved words.' })).body;
    await ask('PATCH', at(buildId, `/${done.comment_id}`), { resolved: true });
    await say(buildId, { path: 'a.md', line: 1, body: 'Draft words.', draft: true }, bens);
    const comments = [{ path: 'a.md', line: 5, body: 'Given words.' }];
    expect((await decide(buildId, { decision: 'rework', comments })).status).toBe(201);
    expect((await list(buildId)).comments.map(({ line, body }) => [line, body])).toEqual([
      [3, 'Not three.'],
      [3, 'Make it *tres*.'],
      [4, 'Resolved words.'],
      [5, 'Given words.'],
    ]);
    const { brief } = await takeNext({ 'a.md': 'zero\none\ntwo\ntres\nfour\nfive\n' });
    expect(brief).toContain('At:\n\n```text\na.md:3\nby Ben Okafor\n```\n\n```text\nNot three.\n```\n');
    expect(brief).toContain('```text\nMake it *tres*.\n```');
    expect(brief).toContain('a.md:5');
    expect(brief).toContain('Given words.');
    expect(brief).not.toContain('Resolved words.');
    expect(brief).not.toContain('Draft words.');
  });

  itDeeply('needs no new comments when unresolved comments exist', async () => {
    const { buildId } = await succeed();
    const refused = await decide(buildId, { decision: 'rework' });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      'comments is required for a rework that has nothing unresolved to answer',
    ]);
    const { comment_id } = (await say(buildId, { body: 'Again.' }, bens)).body;
    await ask('PATCH', at(buildId, `/${comment_id}`), { resolved: true });
    expect((await decide(buildId, { decision: 'rework' })).status).toBe(422);
    await ask('PATCH', at(buildId, `/${comment_id}`), { resolved: false });
    const back = await decide(buildId, { decision: 'rework' });
    expect(back.status).toBe(201);
    await room.call('POST', `/api/v1/factory/builds/${back.body.build_id}/cancel`);
  });
});

describe('The next attempt', () => {
  it('shows earlier comments at their current line, and as outdated when the line is gone', async () => {
    const { buildId } = await succeed({ 'a.md': TEXT, 'old.md': 'x\ny\nz\n', 'gone.md': 'g\n' });
    for (const [path, line] of [
      ['a.md', 2],
      ['a.md', 3],
      ['a.md', 5],
      ['old.md', 2],
      ['gone.md', 1],
    ] as const)
      await say(buildId, { path, line, body: `${path} ${line}` });
    await say(buildId, { path: 'src/main.ts', line: 1, side: 'old', body: 'base' });
    await decide(buildId, { decision: 'rework' });
    const [order] = await room.work(desk);
    await room.start(desk, order!.build_id, order!.claim);
    const taken = { buildId: order!.build_id, claim: order!.claim };
    // The comments keep their lines until the attempt has commits.
    expect((await list(taken.buildId)).comments.map(({ outdated }) => outdated)).not.toContain(true);

    const repository = await git.checkOut(desk, taken);
    repository.git('mv', 'old.md', 'new.md');
    repository.git('rm', '--quiet', 'gone.md');
    repository.save({ 'a.md': 'zero\none\ntwo\n3\nfour\nfive\n', 'new.md': 'w\nx\ny\nz\n' });
    const { base_sha, branch } = await room.get(taken.buildId);
    const sent = await git.handIn(desk, taken, git.bundle(repository, `${base_sha}..${branch}`));
    expect(sent.status).toBe(200);
    repository.dispose();
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded' });

    const shown = async () =>
      Object.fromEntries(
        (await list(taken.buildId)).comments.map(({ body, path, line, outdated }) => [
          body,
          [path, line, outdated],
        ]),
      );
    const expected = {
      'a.md 2': ['a.md', 3, false],
      'a.md 3': ['a.md', 3, true],
      'a.md 5': ['a.md', 6, false],
      'old.md 2': ['new.md', 3, false],
      'gone.md 1': ['gone.md', 1, true],
      base: ['src/main.ts', 1, false],
    };
    expect(await shown()).toEqual(expected);
    const outdated = (await list(taken.buildId)).comments.find(({ body }) => body === 'a.md 3')!;
    expect(outdated).toMatchObject({ context: 'one\ntwo\nthree', attempt: 1, build_id: buildId });
    expect((await list(buildId)).comments.map(({ outdated: gone }) => gone)).not.toContain(true);

    // An answer from the newest build also shows on the first one.
    const answer = await say(taken.buildId, { reply_to: outdated.comment_id, body: 'Done.' });
    expect(answer.body).toMatchObject({ attempt: 2, path: 'a.md', outdated: true });
    expect((await list(buildId)).comments.map(({ body }) => body)).toContain('Done.');

    // The brief of the following attempt has the moved comments too.
    await decide(taken.buildId, { decision: 'rework' });
    const { brief } = await takeNext({ 'b.md': 'b\n' });
    expect(brief).toContain('new.md:3');
    expect(brief).toContain(
      'The line no longer exists. It was the last of:\n\n```text\none\ntwo\nthree\n```',
    );
    expect(brief).toContain('Done.');
  });

  itDeeply('maps comments to lines on a node that has never seen the commits', async () => {
    const { buildId } = await succeed();
    await say(buildId, { path: 'a.md', line: 1, body: 'Here.' });
    await decide(buildId, { decision: 'rework' });
    const next = await takeNext({ 'a.md': `zero\n${TEXT}` });
    rmSync(join(world.config.dataDir, 'mirrors', `${room.projectId}.git`), { recursive: true });
    expect((await list(next.buildId)).comments).toMatchObject([{ line: 2, outdated: false }]);
  });
});

describe('Notifications of a comment', () => {
  it("reach the assignee, the reporter, the build's creator and the thread, but not for drafts", async () => {
    const [cy, dee, eve] = await Promise.all([1, 2, 3].map(() => world.member(room.space.brand)));
    const [cys, dees, eves] = await Promise.all(
      [cy!, dee!, eve!].map(async (each) => ({ cookie: await world.signIn(each, room.space.brand) })),
    );
    const { buildId } = await succeed(undefined, await room.card({ assignee: cy!.user_id }));
    await say(buildId, { body: 'Quiet.', draft: true }, dees);
    const told = async (who: Record<string, string>) =>
      (await inboxOf(who, buildId))
        .filter(({ kind }) => kind !== 'review_asked')
        .map(({ kind, excerpt }) => [kind, excerpt]);
    expect(await told(cys!)).toEqual([]);
    const first = (await say(buildId, { body: 'First.' }, dees)).body;
    expect([await told(cys!), await told(ours()), await told(dees!), await told(eves!)]).toEqual([
      [['commented', 'First.']],
      [['commented', 'First.']],
      [],
      [],
    ]);
    await world.advance(1);
    await say(buildId, { reply_to: first.comment_id, body: 'Second.' }, eves);
    await world.advance(1);
    await say(buildId, { reply_to: first.comment_id, body: 'Third.' });
    expect(await told(dees!)).toEqual([
      ['commented', 'Third.'],
      ['commented', 'Second.'],
    ]);
    expect(await told(eves!)).toEqual([['commented', 'Third.']]);
    await world.advance(1);
    await say(buildId, { body: '@Ben Okafor, look.' });
    expect(await told(bens)).toEqual([['mentioned', '@Ben Okafor, look.']]);
  });

  itDeeply('appear in the board feed and leave the version of the card unchanged', async () => {
    const { buildId, card } = await succeed();
    const feed = `/api/v1/board/activity/boards/${room.boardId}`;
    const before = await room.call<{ next_cursor: string }>('GET', feed);
    const version = (await room.readCard(card.id))['version'];
    await say(buildId, { path: 'a.md', line: 1, body: 'Live.' });
    const since = encodeURIComponent(before.body.next_cursor);
    const news = await room.call<{ items: object[] }>('GET', `${feed}?since=${since}`);
    expect(news.body.items[0]).toMatchObject({
      task_id: card.id,
      action: 'task.commented',
      changes: { comment: { from: null, to: 'Live.' }, build: { to: { event: 'build.commented' } } },
    });
    expect((await room.readCard(card.id))['version']).toBe(version);
  });

  itDeeply('are in the data export of their author', async () => {
    const { buildId } = await succeed();
    const fay = await world.member(room.space.brand);
    const theirs = { cookie: await world.signIn(fay, room.space.brand) };
    await say(buildId, { path: 'a.md', line: 1, body: 'Kept about me.' }, theirs);
    const data = (await world.inject({ method: 'GET', url: '/api/v1/me/export', headers: theirs })).json();
    expect(data.review_comments).toMatchObject([{ path: 'a.md', line: 1, body: 'Kept about me.' }]);
  });
});
