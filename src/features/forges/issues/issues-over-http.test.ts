import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { type ForgeRoom, furnishForges } from '../../../../tests/support/forge-room.js';
import { HostedRepository } from '../../../../tests/support/hosted-repository.js';
import { type SimulatedForge, startSimulatedForge } from '../../../demo/host/simulated-forge.js';

const TOKEN = 'ghp_of-the-simulated-host';

let world: World;
let room: ForgeRoom;
let repository: HostedRepository;
let host: SimulatedForge;

beforeAll(async () => {
  world = await startTestApp({ env: { FORGE_NETWORKS: '127.0.0.0/8' }, workers: true });
  await world.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => world.stop());

beforeEach(async () => {
  room = await furnishForges(world);
  repository = new HostedRepository({ 'a.txt': 'one\n' });
  host = await startSimulatedForge({
    repositories: [{ name: 'acme/app', path: repository.path, defaultBranch: 'main' }],
    token: TOKEN,
  });
});
afterEach(async () => {
  await room.remove();
  await host.close();
  repository.remove();
});

const connect = (more: object = {}) =>
  room.put({ token: TOKEN, api_url: host.apiUrl, repository: 'acme/app', ...more });

describe('PUT .../forge, over the network', () => {
  it('what the host says is one sentence each', async () => {
    const ask = async (more: object) => (await connect(more)).body.detail;
    expect(await ask({ token: 'wrong' })).toBe('The host does not take this token');
    expect(await ask({ repository: 'acme/none' })).toBe(
      'The host knows no such repository, or not for this token',
    );
    expect(await ask({ api_url: 'http://127.0.0.1:9/api/v3' })).toBe(
      'The host is not reachable at this api_url',
    );
    expect(await ask({ api_url: 'https://10.0.0.1/api/v3' })).toBe(
      'The host is not reachable at this api_url',
    );
    host.setFaults({ mayNotPush: true });
    expect(await ask({})).toBe('The token is not allowed to push to this repository');
    host.setFaults({ status: 503 });
    expect(await ask({})).toBe('The host is not reachable at this api_url');
    host.setFaults({ rateLimited: { retryAfter: 60 } });
    expect(await ask({})).toBe('The host asks for a pause; try again later');
    host.setFaults({});
    expect(await ask({})).toBeUndefined();
  });
});

describe('issues, over the network', () => {
  const cards = async () => {
    const { body } = await room.call('GET', '/api/v1/board/boards');
    const [board] = body['boards'] as unknown as { board_id: string }[];
    if (!board) return [];
    const url = `/api/v1/board/boards/${board.board_id}/tasks?detail=full`;
    return (await room.call('GET', url)).body['items'] as unknown as Record<string, unknown>[];
  };

  it('an issue becomes a card by the host’s own hook, is told so, and is followed', async () => {
    await connect({ issues: { label: 'guildhall' } });
    const { port } = world.server.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/api/v1/hooks/${room.projectId}`;
    host.setHook({ url, secret: await room.renew() });

    const { number } = host.openIssue({
      title: 'Too slow',
      body: 'Very.',
      labels: ['guildhall'],
      author: 'ada',
    });
    await expect
      .poll(cards)
      .toMatchObject([{ title: 'Too slow', instructions: `Issue #${number} of acme/app, by ada:\n\nVery.` }]);
    const [card] = await cards();
    const said = async () => (await host.issues())[0]!.comments.map(({ body }) => body);
    await expect
      .poll(said)
      .toEqual([`This issue is card ${card!['ref']}: http://guildhall.test/dashboard/cards/${card!['ref']}`]);
    expect(card!['external_url']).toBe(`${host.origin}/acme/app/issues/${number}`);

    host.renameIssue(number, 'Much too slow');
    await expect.poll(cards).toMatchObject([{ title: 'Much too slow' }]);
    host.relabel(number, []);
    await expect.poll(cards).toMatchObject([{ archived: true }]);
    host.relabel(number, ['guildhall']);
    await expect.poll(cards).toMatchObject([{ archived: false }]);
    host.closeIssue(number);
    await expect.poll(cards).toMatchObject([{ archived: true }]);
    expect(await said()).toHaveLength(1);
    expect((await room.get()).body).toMatchObject({ error: null, hook: { last_at: expect.any(String) } });
  });

  it('without a hook the pass finds it', async () => {
    await connect({ issues: { label: 'guildhall' } });
    host.openIssue({ title: 'Found', labels: ['guildhall'] });
    await world.runJob('forge-pass');
    await expect.poll(cards).toMatchObject([{ title: 'Found' }]);
  });
});
