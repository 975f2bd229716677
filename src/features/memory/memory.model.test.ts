import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';
import { memoryJobs } from './memory.jobs.js';

const said = (content: string, role = 'user') => ({ role, content, at: '2026-11-14T09:30:00.000Z' });

describe('Learning with a model', () => {
  let model: Server;
  let reply: unknown;
  let asked = 0;
  /** The stub model answers after this promise. */
  let hold: Promise<void> | undefined;
  let smart: MemoryWorld;
  let brand: Awaited<ReturnType<MemoryWorld['workspace']>>;

  beforeAll(async () => {
    model = createServer(async (request, response) => {
      for await (const _ of request);
      asked += 1;
      await hold;
      if (reply === undefined) response.writeHead(500).end('{}');
      else response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(reply) } }] }));
    });
    await new Promise<void>((done) => model.listen(0, '127.0.0.1', done));
    smart = await startMemoryWorld({
      MODEL_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    });
    await smart.freeze();
    brand = await smart.workspace();
  });
  afterAll(async () => {
    await smart.stop();
    model.close();
  });

  const state = async (agent_id: string) =>
    (await brand.get(`/conversations?agent_id=${agent_id}`)).json().conversations[0];

  it('keeps what the model extracted, with its provenance', async () => {
    const agent_id = smart.agentId();
    reply = {
      memories: [
        {
          kind: 'summary',
          title: 'They chose Oslo',
          body: 'The meeting is in Oslo.',
          tags: ['travel'],
          confidence: 0.66,
          importance: 'high',
        },
      ],
    };
    const { id } = (
      await brand.push({
        agent_id,
        source_type: 'openclaw',
        external_id: '1',
        messages: [said('Where do we meet?'), said('Oslo it is.')],
      })
    ).json();
    await smart.runJob('memory-pickup');
    const [memory] = (await brand.found(agent_id)).memories;
    expect((await brand.read(memory!.id)).json()).toMatchObject({
      kind: 'summary',
      title: 'They chose Oslo',
      confidence: 0.66,
      importance: 'high',
      tags: ['travel'],
      source: { source_id: null, conversation_id: id, extractor: 'model' },
    });
  });

  it('retries after 10 min, 30 min, 2 h and 8 h, and fails after the fifth attempt', async () => {
    const agent_id = smart.agentId();
    reply = undefined;
    await brand.push({
      agent_id,
      source_type: 'openclaw',
      external_id: '1',
      messages: [said('Something to learn.')],
    });
    for (const [attempt, wait] of [600, 1800, 7200, 28_800].entries()) {
      await smart.runJob('memory-pickup');
      const failed = await state(agent_id);
      expect(failed).toMatchObject({
        status: 'waiting',
        attempts: attempt + 1,
        error: expect.stringContaining('Model call failed'),
      });
      expect(Date.parse(failed.next_attempt_at) - smart.clock.now().getTime()).toBe(wait * 1000);
      await smart.advance(wait - 1);
      const before = asked;
      await smart.runJob('memory-pickup');
      expect(asked).toBe(before);
      await smart.advance(1);
    }
    await smart.runJob('memory-pickup');
    expect(await state(agent_id)).toMatchObject({ status: 'failed', attempts: 5, next_attempt_at: null });
    await smart.advance(100_000);
    const before = asked;
    await smart.runJob('memory-pickup');
    expect(asked).toBe(before);
  });

  it('retries within a minute of the due time, without waiting for the pickup', async () => {
    const { schedule } = memoryJobs(smart.app.memory).find(({ name }) => name === 'memory-retry')!;
    expect(schedule).toEqual({ everySeconds: expect.any(Number) });
    expect((schedule as { everySeconds: number }).everySeconds).toBeLessThanOrEqual(30);

    const agent_id = smart.agentId();
    const fresh = smart.agentId();
    reply = undefined;
    const messages = [said('Something to learn.')];
    await brand.push({ agent_id, source_type: 'openclaw', external_id: '1', messages });
    await smart.runJob('memory-pickup');
    await smart.advance(599);
    await smart.runJob('memory-retry');
    expect(await state(agent_id)).toMatchObject({ status: 'waiting', attempts: 1 });
    await smart.advance(1);
    await brand.push({ agent_id: fresh, source_type: 'openclaw', external_id: '1', messages });
    await smart.runJob('memory-retry');
    expect(await state(agent_id)).toMatchObject({ status: 'waiting', attempts: 2 });
    expect(await state(fresh)).toMatchObject({ status: 'waiting', attempts: 0 });
    reply = { memories: [{ kind: 'fact', title: 'At last', body: 'It worked.' }] };
    await smart.advance(1800);
    await smart.runJob('memory-retry');
    expect(await state(agent_id)).toMatchObject({ status: 'done', attempts: 3, error: null });
    expect(await brand.titles(agent_id, 'last')).toEqual(['At last']);
  });

  it('keeps nothing of an attempt that finishes after its claim expired', async () => {
    reply = { memories: [] };
    await smart.runJob('memory-pickup');
    const agent_id = smart.agentId();
    const remembered = (title: string) => ({ memories: [{ kind: 'fact', title, body: title }] });
    await brand.push({
      agent_id,
      source_type: 'openclaw',
      external_id: '1',
      messages: [said('Something to learn.')],
    });
    let comeBack = () => {};
    hold = new Promise((done) => {
      comeBack = done;
    });
    reply = remembered('Too late');
    const before = asked;
    const lost = smart.runJob('memory-pickup');
    await vi.waitFor(() => expect(asked).toBe(before + 1), { timeout: 120_000 });
    hold = undefined;
    await smart.advance(15 * 60 + 1);
    reply = remembered('In time');
    await smart.runJob('memory-retry');
    reply = remembered('Too late');
    comeBack();
    await lost;
    expect((await brand.found(agent_id)).memories.map(({ title }) => title)).toEqual(['In time']);
    expect(await state(agent_id)).toMatchObject({ status: 'done', attempts: 2 });
  });

  it('fails the conversation when the fifth attempt never returned', async () => {
    const agent_id = smart.agentId();
    reply = { memories: [] };
    await brand.push({
      agent_id,
      source_type: 'openclaw',
      external_id: '1',
      messages: [said('Something to learn.')],
    });
    await sql`
      update memory_conversations set status = 'processing', attempts = 5, claim_id = gen_random_uuid(),
        claimed_at = ${smart.clock.now()}
      where agent_id = ${agent_id}`.execute(smart.db);
    await smart.advance(15 * 60 + 1);
    await smart.runJob('memory-retry');
    expect(await state(agent_id)).toMatchObject({
      status: 'failed',
      attempts: 5,
      next_attempt_at: null,
      error: 'The last attempt did not come to an end',
    });
  });

  it.each([
    [{ memories: 'x' }],
    [{ memories: [{ kind: 'rumour', title: 'a', body: 'b' }] }],
    [{ memories: [{ kind: 'fact', title: 'a' }] }],
    [{ memories: [{ kind: 'fact', title: 'a', body: 'b', confidence: 3 }] }],
    [[]],
  ])('counts %j as a failed call and keeps none of its memories', async (answer) => {
    const agent_id = smart.agentId();
    reply = answer;
    await brand.push({
      agent_id,
      source_type: 'openclaw',
      external_id: '1',
      messages: [said('Something to learn.')],
    });
    await smart.runJob('memory-pickup');
    expect(await state(agent_id)).toMatchObject({ status: 'waiting', attempts: 1 });
    expect((await brand.found(agent_id)).count).toBe(0);
  });
});
