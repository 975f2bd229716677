import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkouts } from '../support/build-checkouts.js';
import { type BuildWorld, type FakeDesk, type Furnished, startBuildWorld } from '../support/build-world.js';
import { checkRoom } from '../support/check-room.js';
import { type CliWorld, startCliWorld } from './cli-world.js';

let world: BuildWorld;
let room: Furnished;
let desk: FakeDesk;
let cli: CliWorld;

beforeAll(async () => {
  world = await startBuildWorld();
  room = await world.furnish();
  desk = await room.readyDesk();
  cli = await startCliWorld(world);
});
afterAll(() => cli?.stop());

const guildhall = (args: string[], stdin = '') =>
  cli.guildhall(args, { stdin, env: { GUILDHALL_TOKEN: room.space.token } });
const json = async <T>(args: string[]) => JSON.parse((await guildhall([...args, '--json'])).stdout) as T;

const listQueued = async (own: Furnished) =>
  (await own.call<{ builds: unknown[] }>('GET', '/api/v1/factory/builds?status=queued')).body.builds;

describe('guildhall builds', () => {
  it('start, list, log, diff and review work for a successful build', async () => {
    const card = await room.card();
    const build = await json<{ build_id: string; ref: string; note: string }>([
      'builds',
      'start',
      card.ref,
      '--note',
      'Be quick.',
    ]);
    expect(build).toMatchObject({ ref: card.ref, note: 'Be quick.' });
    const { buildId, claim } = await checkouts(room).work(desk, { 'notes.md': 'Better.\n' });
    await room.log(desk, buildId, claim, 1, 'first\n');
    const following = guildhall(['builds', 'log', buildId, '--follow']);
    await room.log(desk, buildId, claim, 2, 'second \u001b[31mred\u001b[39m\n');
    await room.finish(desk, buildId, claim, { outcome: 'succeeded', result: 'Did it' });
    const followed = await following;
    expect(followed.stdout, 'piped: no colour').toBe('first\nsecond red\n');
    expect(followed.code, followed.stderr).toBe(0);
    expect((await guildhall(['builds', 'log', buildId])).stdout).toBe(followed.stdout);
    expect((await guildhall(['builds', 'log', buildId, '--json'])).stdout).toContain('\\u001b[31mred');

    const listed = await json<{ build_id: string; status: string }[]>(['builds', 'list', '--card', card.ref]);
    expect(listed).toMatchObject([{ build_id: buildId, status: 'succeeded' }]);
    expect((await guildhall(['builds', 'diff', buildId])).stdout).toContain('+Better.');
    expect((await guildhall(['builds', 'show', buildId])).stdout).toContain('Did it');

    const place = ['--path', 'notes.md', '--line', '1'];
    await guildhall(['builds', 'comment', buildId, ...place, '--draft', 'A draft of mine']);
    expect(await json(['builds', 'comments', buildId])).toMatchObject([
      { path: 'notes.md', line: 1, body: 'A draft of mine', draft: true },
    ]);
    expect((await guildhall(['builds', 'comment', buildId, '--line', '1', 'Where?'])).code).toBe(2);
    expect((await guildhall(['builds', 'comment', buildId], 'Piped in')).code).toBe(0);
    const waiting = await json<{ build_id: string }[]>(['builds', 'list', '--review', 'to_review']);
    expect(waiting.map(({ build_id }) => build_id)).toContain(buildId);

    const sentBack = await json<{ build_id: string; continues: string }>([
      'builds',
      'review',
      buildId,
      '--rework',
      '--comment',
      'notes.md:1: Better still',
    ]);
    expect(sentBack).toMatchObject({ continues: buildId });
    const { head_sha, base_branch } = await room.get(buildId);
    const shown = (await guildhall(['builds', 'show', sentBack.build_id])).stdout;
    const line = shown.split('\n').find((text) => text.includes(head_sha!.slice(0, 12)));
    expect(line, 'the head of another attempt').toContain(buildId);
    expect(line).not.toContain(base_branch);
    await room.take(desk);
    const brief = (await guildhall(['builds', 'brief', sentBack.build_id])).stdout;
    for (const said of ['Better still', 'A draft of mine', 'Piped in']) expect(brief).toContain(said);
    const carried = (await guildhall(['builds', 'comments', sentBack.build_id])).stdout;
    expect(carried).toContain('notes.md:1');
    expect(carried).not.toContain('draft\t');
    expect(await json(['builds', 'cancel', sentBack.build_id])).toMatchObject({
      cancel_requested_at: expect.any(String),
    });
  });

  it('coders lists the coders of desks, and answer answers the open question', async () => {
    const own = await world.furnish();
    const shop = await own.readyDesk({ name: 'shop-1' });
    const env = { GUILDHALL_TOKEN: own.space.token };
    await own.work(shop, { slots: 0, coders: [{ name: 'goose', version: '1.2' }] });
    expect((await cli.guildhall(['builds', 'coders'], { env })).stdout).toMatch(
      /goose\s+shop-1\s+1\.2\s+yes/,
    );
    const card = await own.card();
    const { build_id } = await own.build(card.id);
    const { claim } = await own.take(shop);
    const none = await cli.guildhall(['builds', 'answer', card.ref, 'Red'], { env });
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('No question of this build is open'),
    ]);
    await own.say(shop, 'POST', `builds/${build_id}/questions`, {
      claim,
      payload: { key: 'a', question: 'Which color?', choices: ['Red', 'Blue'] },
    });
    const answered = await cli.guildhall(['builds', 'answer', card.ref, 'Red', '--json'], { env });
    expect(JSON.parse(answered.stdout)).toMatchObject({
      status: 'answered',
      answer: { choice: 'Red', text: null },
    });
  });

  it('start --follow reports and follows the automatic retry after a failed check', async () => {
    const own = await world.furnish();
    const checks = checkRoom(own);
    const fresh = await own.readyDesk();
    await checks.setPolicy({ rework: { on_gate: true } });
    await checks.setChecks({ checks: [{ name: 'tests', command: 'npm test' }] });
    const { ref } = await own.card();
    const following = cli.guildhall(['builds', 'start', ref, '--follow'], {
      env: { GUILDHALL_TOKEN: own.space.token },
    });
    const attempt = async (text: string, ends: Record<string, string>) => {
      await expect.poll(async () => (await listQueued(own)).length).toBe(1);
      const { buildId, claim } = await checks.git.work(fresh, { 'notes.md': text });
      await own.log(fresh, buildId, claim, 1, text);
      await own.finish(fresh, buildId, claim, { outcome: 'succeeded' });
      await checks.run(fresh, ends);
      return buildId;
    };
    const first = await attempt('first\n', { tests: 'failed' });
    const second = await attempt('second\n', {});
    const { code, stdout, stderr } = await following;
    expect([code, stdout], stderr).toEqual([0, 'first\nsecond\n']);
    expect(stderr.trim().split('\n')).toEqual([
      `Queued ${first} for ${ref}`,
      `${ref}, attempt 1: failed (The check tests failed with exit code 1)`,
      `Attempt 2 has started: ${second}`,
      `${ref}, attempt 2: succeeded`,
    ]);
    const named = (build: string) =>
      cli.guildhall(['builds', 'log', build, '--follow'], { env: { GUILDHALL_TOKEN: own.space.token } });
    expect(await named(first)).toMatchObject({ code: 1, stdout: 'first\n' });
    expect(await named(ref)).toMatchObject({ code: 0, stdout: 'second\n' });
  });

  it('log --follow exits with 1 when the build did not succeed', async () => {
    await guildhall(['builds', 'start', (await room.card()).ref]);
    const other = await room.readyDesk();
    const { buildId, claim } = await room.take(other);
    await room.finish(other, buildId, claim, { outcome: 'failed', result: 'No' });
    expect(await guildhall(['builds', 'log', buildId, '--follow'])).toMatchObject({ code: 1 });
  });

  it('accepts a card instead of its newest build', async () => {
    const { ref } = await room.card();
    const none = await guildhall(['builds', 'log', ref]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('has no builds yet')]);
    const { build_id } = await json<{ build_id: string }>(['builds', 'start', ref]);
    expect(await json(['builds', 'show', ref.toLowerCase()])).toMatchObject({ build_id });
    expect(await json(['builds', 'cancel', ref])).toMatchObject({ build_id, status: 'canceled' });
  });

  it('start suggests a command when the card has no project', async () => {
    const { body } = await room.call<{ ref: string }>('POST', `/api/v1/board/boards/${room.boardId}/tasks`, {
      title: 'Of no project',
    });
    const { code, stderr } = await guildhall(['builds', 'start', body.ref]);
    expect(code).toBe(1);
    expect(stderr).toContain(`guildhall cards edit ${body.ref} --project`);
    expect(stderr).toMatch(/request id: \S+/);
  });

  it('review --accept --wait finishes when the branch is in the repository, or reports why it is not', async () => {
    // Uses a new workspace, because the other desk has unprocessed orders.
    const own = await world.furnish();
    const fresh = await own.readyDesk();
    const accept = async (prepare: (branch: string) => void) => {
      const { ref, id } = await own.card();
      const { branch, build_id } = await own.build(id);
      const { buildId, claim } = await checkouts(own).work(fresh, { 'notes.md': `${ref}\n` });
      await own.finish(fresh, buildId, claim, { outcome: 'succeeded' });
      prepare(branch);
      const waiting = cli.guildhall(['builds', 'review', ref, '--accept', '--wait'], {
        env: { GUILDHALL_TOKEN: own.space.token },
      });
      await expect.poll(async () => (await own.get(build_id)).review, { timeout: 240_000 }).toBeTruthy();
      await world.runJob('build-push');
      return { branch, ...(await waiting) };
    };
    const pushed = await accept(() => {});
    expect([pushed.code, pushed.stdout]).toEqual([0, `Accepted; ${pushed.branch} is in the repository.\n`]);
    expect(own.repository.git('show', `${pushed.branch}:notes.md`)).toMatch(/-\d+$/);
    const taken = await accept((branch) => own.repository.git('branch', branch, own.baseSha));
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain('The build is accepted, but its branch was not pushed: ');
  });

  it('review requires a decision', async () => {
    expect((await guildhall(['builds', 'review', 'x'])).code).toBe(2);
    expect((await guildhall(['builds', 'review', 'x', '--accept', '--rework'])).code).toBe(2);
  });
});
