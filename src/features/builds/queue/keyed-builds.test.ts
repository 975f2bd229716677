import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuildWorld, type Furnished, startBuildWorld } from '../../../../tests/support/build-world.js';
import { Tarpit } from '../../../../tests/support/tarpit.js';

let world: BuildWorld;
let home: Furnished;
let tarpit: Tarpit;

beforeAll(async () => {
  world = await startBuildWorld({ GIT_NETWORKS: '127.0.0.1' });
  home = await world.furnish();
  tarpit = await Tarpit.start();
});
afterAll(async () => {
  await tarpit.stop();
  await world.stop();
});

const setRepository = (url: string) =>
  world.database.db
    .updateTable('projects')
    .set({ repository_url: url, repository_branch: 'main' })
    .where('project_id', '=', home.projectId)
    .execute();

it('returns 409 for a card with an open build without asking the repository', async () => {
  const card = await home.card();
  const open = await home.build(card.id);
  await setRepository(`https://127.0.0.1:${tarpit.port}/a.git`);
  const again = await home.post(card.id);
  expect(again).toMatchObject({ status: 409, body: { detail: { build_id: open.build_id } } });
  expect(tarpit.calls).toBe(0);
});

describe('An Idempotency-Key on a build request', () => {
  it('holds no connection while the repository is asked, and replays the answer without asking again', async () => {
    const card = await home.card();
    const key = { 'idempotency-key': 'slow-host' };
    await setRepository(`https://127.0.0.1:${tarpit.port}/a.git`);
    const waiting = home.post(card.id, {}, key);
    await tarpit.called(1);
    const { pool } = world.database;
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
    expect(tarpit.held).toBe(1);
    await tarpit.stop();
    const made = await waiting;
    // When the host is unreachable, the project's own branch starts from the indexed commit.
    expect([made.status, made.body.base_sha]).toEqual([201, home.baseSha]);

    tarpit = await Tarpit.start();
    await setRepository(`https://127.0.0.1:${tarpit.port}/a.git`);
    const again = await home.post(card.id, {}, key);
    expect(again.body).toEqual(made.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(tarpit.calls).toBe(0);
  });

  it('gets the same refusals as a request without a key, and does not store them', async () => {
    await setRepository(home.repository.folder);
    const card = await home.card();
    const key = { 'idempotency-key': 'no-such-branch' };
    expect((await home.post(card.id, { base_branch: 'later' }, key)).status).toBe(422);
    home.repository.git('branch', 'later');
    expect(await home.post(card.id, { base_branch: 'later' }, key)).toMatchObject({
      status: 201,
      body: { base_branch: 'later' },
    });
  });
});
