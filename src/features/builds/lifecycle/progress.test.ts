import { describe, expect } from 'vitest';
import { type FakeDesk, type Furnished, openBuildWorld } from '../../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';

const world = await openBuildWorld();

const MINUTE = 60;

async function running(stall_minutes?: number) {
  const room = await world.furnish();
  const desk = await room.readyDesk();
  if (stall_minutes !== undefined) await room.call('PUT', '/api/v1/factory/builds/policy', { stall_minutes });
  await room.build((await room.card()).id);
  return { room, desk, ...(await room.take(desk)) };
}

/** Advances the clock while the desk only reports that the build runs. */
async function pass(room: Furnished, desk: FakeDesk, buildId: string, minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left -= 5) {
    world.clock.advance(Math.min(5, left) * MINUTE);
    await room.work(desk, { slots: 0, running: [buildId] });
  }
}

const notices = async (room: Furnished) =>
  (await room.call<{ items: { excerpt: string }[] }>('GET', '/api/v1/me/inbox?kind=build_stalled')).body
    .items;

describe('A coder that writes nothing and calls no tool', () => {
  it('counts as stalled after policy.stall_minutes, notifies the inbox once, and ends after twice that time', async () => {
    const { room, desk, buildId } = await running();
    await pass(room, desk, buildId, 19);
    expect(await room.get(buildId)).toMatchObject({ stalled: false, status: 'running', silent: false });
    await pass(room, desk, buildId, 1);
    expect(await room.get(buildId)).toMatchObject({ stalled: true, status: 'running' });
    await world.runJob('build-pass');
    await world.runJob('build-pass');
    expect(await notices(room)).toHaveLength(1);
    await pass(room, desk, buildId, 19);
    expect((await room.get(buildId)).status).toBe('running');
    world.clock.advance(MINUTE);
    const ended = { status: 'timed_out', reason: 'No progress for 40 minutes', stalled: false };
    expect(await room.get(buildId)).toMatchObject(ended);
    const orders = await room.work(desk, { slots: 0, running: [buildId] });
    expect(orders).toEqual([{ kind: 'cancel', build_id: buildId }]);
    await world.runJob('build-pass');
    expect(await room.get(buildId)).toMatchObject(ended);
  });

  itDeeply('is never stalled when stall_minutes is 0', async () => {
    const { room, desk, buildId } = await running(0);
    await pass(room, desk, buildId, 60);
    expect(await room.get(buildId)).toMatchObject({ stalled: false, status: 'running' });
  });
});

describe('Signs of progress of a build', () => {
  const signs: Record<string, (at: Awaited<ReturnType<typeof running>>) => Promise<unknown>> = {
    'the log': ({ room, desk, buildId, claim }) => room.log(desk, buildId, claim, 1, 'compiled\n'),
    'growing usage': ({ room, desk, buildId, claim }) =>
      room.usage(desk, buildId, claim, { tokens_in: 1, tokens_out: 1, cost_usd: null }),
    'the progress time reported by the desk': ({ room, desk, buildId }) =>
      room.work(desk, {
        slots: 0,
        running: [{ build_id: buildId, progress_at: world.clock.now().toISOString() }],
      }),
    'a tool call': async ({ room, desk, buildId, claim }) => {
      const { mcp } = (await room.start(desk, buildId, claim)).body;
      const answer = await world.inject({
        method: 'POST',
        url: '/mcp',
        headers: { authorization: `Bearer ${mcp.token}`, accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      });
      expect(answer.statusCode).toBe(200);
    },
  };
  it.each(Object.entries(signs))('%s', async (_name, sign) => {
    const at = await running(10);
    await pass(at.room, at.desk, at.buildId, 9);
    await sign(at);
    await pass(at.room, at.desk, at.buildId, 9);
    expect((await at.room.get(at.buildId)).stalled).toBe(false);
    await pass(at.room, at.desk, at.buildId, 1);
    expect((await at.room.get(at.buildId)).stalled).toBe(true);
  });

  itDeeply('ignores unchanged usage and times in the future', async () => {
    const at = await running(10);
    const used = { tokens_in: 1, tokens_out: 1, cost_usd: null };
    await at.room.usage(at.desk, at.buildId, at.claim, used);
    await pass(at.room, at.desk, at.buildId, 9);
    await at.room.usage(at.desk, at.buildId, at.claim, used);
    const ahead = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
    await pass(at.room, at.desk, at.buildId, 1);
    expect((await at.room.get(at.buildId)).stalled).toBe(true);
    await at.room.work(at.desk, { slots: 0, running: [{ build_id: at.buildId, progress_at: ahead }] });
    await pass(at.room, at.desk, at.buildId, 10);
    expect((await at.room.get(at.buildId)).stalled).toBe(true);
  });
});
