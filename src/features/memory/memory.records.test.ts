import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld, WEEK } from '../../../tests/support/memory.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
let other: Awaited<ReturnType<MemoryWorld['workspace']>>;

beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace();
  other = await world.workspace();
});
afterAll(() => world.stop());

describe('POST /api/v1/memory/memories', () => {
  it('answers 201 with the full memory, its id and status active', async () => {
    const agent_id = world.agentId();
    const response = await acme.create({
      agent_id,
      kind: 'decision',
      title: 'Use PostgreSQL',
      body: 'One engine.',
    });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({
      agent_id,
      kind: 'decision',
      title: 'Use PostgreSQL',
      body: 'One engine.',
      description: null,
      confidence: 0.8,
      tags: [],
      importance: 'normal',
      status: 'active',
      stale: false,
      source: null,
      merged_into: null,
      merged_from: [],
    });
    expect(response.json().created_at).toBe(response.json().last_verified_at);
  });

  it('always creates a new memory', async () => {
    const agent_id = world.agentId();
    const [first, second] = await Promise.all([acme.made({ agent_id }), acme.made({ agent_id })]);
    expect(first.id).not.toBe(second.id);
    expect((await acme.stats(`?agent_id=${agent_id}`)).json().total_active).toBe(2);
  });

  it('gives an unowned agent_id to the caller, and to only one of fifty concurrent callers', async () => {
    const agent_id = world.agentId();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? acme : other).create({ agent_id })),
    );
    const codes = (who: number) => new Set(answers.filter((_, i) => i % 2 === who).map((a) => a.statusCode));
    expect([codes(0), codes(1)].map((set) => [...set])).toEqual(expect.arrayContaining([[201], [403]]));
  });

  it('refuses an agent of another workspace and a platform agent with the same error', async () => {
    const foreign = world.agentId();
    await other.made({ agent_id: foreign });
    const platform = world.agentId();
    await world.operator('POST', '/agents', { agent_id: platform, name: 'Platform', brand_id: null });
    const answers = [await acme.create({ agent_id: foreign }), await acme.create({ agent_id: platform })];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403]);
    expect(answers[0]!.body).toBe(answers[1]!.body);
  });

  it.each([
    ['agent_id is missing', { agent_id: undefined }],
    ['agent_id has a space', { agent_id: 'my agent' }],
    ['agent_id is empty', { agent_id: '' }],
    ['agent_id has 256 characters', { agent_id: 'a'.repeat(256) }],
    ['kind is missing', { kind: undefined }],
    ['kind is summary', { kind: 'summary' }],
    ['title is missing', { title: undefined }],
    ['title is blank', { title: '   ' }],
    ['title has 501 characters', { title: 'x'.repeat(501) }],
    ['body has 1,048,577 characters', { body: 'x'.repeat(1_048_577) }],
    ['title is a list', { title: ['a'] }],
    ['body is missing', { body: undefined }],
    ['body is null', { body: null }],
    ['description has 201 characters', { description: 'x'.repeat(201) }],
    ['confidence is below 0', { confidence: -0.01 }],
    ['confidence is above 1', { confidence: 1.01 }],
    ['confidence is a string', { confidence: '0.5' }],
    ['importance is unknown', { importance: 'urgent' }],
    ['tags is not a list', { tags: 'a' }],
    ['a key is unknown', { status: 'active' }],
    ['the title has a NUL', { title: 'a\u0000b' }],
  ])('answers 422 when %s', async (_, fields) => {
    const response = await acme.create({ agent_id: world.agentId(), ...fields });
    expect(response.statusCode).toBe(422);
  });

  it('requires memory:write', async () => {
    const reader = world.asking({
      authorization: `Bearer ${await world.token(acme.brand, acme.admin, ['memory:read'])}`,
    });
    const response = await reader.create({ agent_id: world.agentId() });
    expect(response.statusCode).toBe(403);
    expect(response.json().detail).toBe(
      'Token lacks scope memory:write; this workspace allows it, so a new token can carry it',
    );
  });
});

describe('GET /api/v1/memory/memories/{memory_id}', () => {
  it("returns the memory, and 404 for another workspace's, a missing one and an invalid UUID", async () => {
    const memory = await acme.made({ agent_id: world.agentId() });
    expect((await acme.read(memory.id)).json()).toEqual(memory);
    for (const response of [
      await other.read(memory.id),
      await acme.read('0192f0c0-0000-7000-8000-000000000000'),
      await acme.read('nonsense'),
    ])
      expect([response.statusCode, response.json()]).toEqual([404, { detail: 'Memory not found' }]);
  });
});

describe('PATCH /api/v1/memory/memories/{memory_id}', () => {
  it('changes only sent fields, replaces the whole tag list, and clears the description with null', async () => {
    const memory = await acme.made({ agent_id: world.agentId(), tags: ['a', 'b'], description: 'Short' });
    const changed = (
      await acme.change(memory.id, { tags: ['c'], importance: 'high', kind: 'preference' })
    ).json();
    expect(changed).toMatchObject({
      tags: ['c'],
      importance: 'high',
      kind: 'preference',
      title: memory.title,
      description: 'Short',
    });
    expect((await acme.change(memory.id, { description: null })).json().description).toBeNull();
  });

  it('archives and restores', async () => {
    const agent_id = world.agentId();
    const memory = await acme.made({ agent_id, title: 'Zanzibar' });
    expect((await acme.change(memory.id, { status: 'archived' })).json().status).toBe('archived');
    expect((await acme.found(agent_id, { query: 'Zanzibar' })).count).toBe(0);
    expect((await acme.change(memory.id, { status: 'active' })).json().status).toBe('active');
    expect((await acme.found(agent_id, { query: 'Zanzibar' })).count).toBe(1);
  });

  it('verifies the memory even without changes, and resets the confidence to its set value', async () => {
    const memory = await acme.made({ agent_id: world.agentId(), confidence: 0.9 });
    await world.advance(10 * WEEK);
    const decayed = (await acme.read(memory.id)).json();
    expect(decayed.confidence).toBe(0.7354);
    expect(decayed).toMatchObject({ stale: true, stale_caveat: expect.stringContaining('70 days') });
    const verified = (await acme.change(memory.id, {})).json();
    expect(verified).toMatchObject({
      confidence: 0.9,
      stale: false,
      stale_caveat: null,
      title: memory.title,
    });
    expect(verified.last_verified_at > memory.last_verified_at).toBe(true);
  });

  it('answers the same 404 in another workspace and for a missing memory', async () => {
    const memory = await acme.made({ agent_id: world.agentId() });
    const answers = [
      await other.change(memory.id, {}),
      await acme.change('0192f0c0-0000-7000-8000-000000000000', {}),
    ];
    expect(answers.map((a) => [a.statusCode, a.body])).toEqual([
      [404, '{"detail":"Memory not found"}'],
      [404, '{"detail":"Memory not found"}'],
    ]);
  });

  it.each([
    ['confidence is above 1', { confidence: 1.5 }],
    ['description has 201 characters', { description: 'x'.repeat(201) }],
    ['status is merged', { status: 'merged' }],
    ['title is null', { title: null }],
    ['kind is summary', { kind: 'summary' }],
    ['a key is unknown', { agent_id: 'x' }],
  ])('answers 422 when %s', async (_, payload) => {
    const memory = await acme.made({ agent_id: world.agentId() });
    expect((await acme.change(memory.id, payload)).statusCode).toBe(422);
  });

  it('answers 422 when memory_id is not a UUID', async () => {
    expect((await acme.change('nonsense', {})).statusCode).toBe(422);
  });
});

describe('DELETE /api/v1/memory/memories/{memory_id}', () => {
  it('answers 204, then 404, and removes the memory from search at once', async () => {
    const agent_id = world.agentId();
    const memory = await acme.made({ agent_id, title: 'Quagga' });
    expect((await other.remove(memory.id)).statusCode).toBe(404);
    expect((await acme.remove(memory.id)).statusCode).toBe(204);
    expect((await acme.remove(memory.id)).statusCode).toBe(404);
    expect((await acme.found(agent_id, { query: 'Quagga' })).memories).toEqual([]);
    expect((await acme.remove('nonsense')).statusCode).toBe(422);
  });
});

describe('GET /api/v1/memory/memories/stats', () => {
  it('counts by status and by_kind, with avg_confidence of active ones', async () => {
    const brand = await world.workspace();
    const agent_id = world.agentId();
    await brand.made({ agent_id, kind: 'fact', confidence: 1, importance: 'critical' });
    await brand.made({ agent_id, kind: 'decision', confidence: 0.5 });
    const archived = await brand.made({ agent_id, kind: 'learning' });
    await brand.change(archived.id, { status: 'archived' });
    await world.advance(WEEK);
    const expected = {
      total_active: 2,
      total_archived: 1,
      total_merged: 0,
      by_kind: { fact: 1, decision: 1 },
      avg_confidence: 0.745,
    };
    expect((await brand.stats()).json()).toEqual(expected);
    expect((await brand.stats(`?agent_id=${agent_id}`)).json()).toEqual(expected);
    expect((await other.stats(`?agent_id=${agent_id}`)).json()).toMatchObject({
      total_active: 0,
      by_kind: {},
      avg_confidence: null,
    });
  });

  it('answers yaml and md on request, and 422 for another format or an invalid agent_id', async () => {
    expect((await acme.stats('?format=yaml')).headers['content-type']).toContain('application/yaml');
    expect((await acme.stats('?format=md')).headers['content-type']).toContain('text/markdown');
    expect((await acme.stats('?format=xml')).statusCode).toBe(422);
    expect((await acme.stats('?agent_id=a%20b')).statusCode).toBe(422);
  });
});

describe('GET /api/v1/memory/agents', () => {
  it("lists only the workspace's agents", async () => {
    const brand = await world.workspace();
    const agent_id = world.agentId();
    await brand.made({ agent_id });
    expect((await brand.get('/agents')).json()).toEqual({ agents: [{ agent_id, name: agent_id }], total: 1 });
  });
});
