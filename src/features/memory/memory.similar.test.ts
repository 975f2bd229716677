import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';

interface Similar {
  memory_id: string;
  title: string;
  similarity: number;
}

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

const FACT = { kind: 'fact', title: 'Deployments are on Tuesdays', body: 'To production, before noon.' };

const createAsking = (who: typeof acme, fields: object, headers: Record<string, string> = {}) =>
  world.inject({
    method: 'POST',
    url: '/api/v1/memory/memories?similar=true',
    headers: { ...who.bearer, ...headers },
    payload: { ...FACT, ...fields },
  });

const similarTo = async (who: typeof acme, fields: object): Promise<Similar[]> => {
  const response = await createAsking(who, fields);
  expect(response.statusCode, response.body).toBe(201);
  return response.json().similar;
};

describe('Near duplicates of a new memory', () => {
  it('are returned on request, and the memory is created anyway', async () => {
    const agent_id = world.agentId();
    const first = await acme.made({ agent_id, ...FACT });
    expect(first).not.toHaveProperty('similar');
    expect(await similarTo(acme, { agent_id })).toEqual([
      { memory_id: first.id, title: FACT.title, similarity: 1 },
    ]);
    expect((await acme.stats(`?agent_id=${agent_id}`)).json().total_active).toBe(2);
  });

  it('include contradictions and exclude unrelated memories', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, title: 'Invoices are numbered without gaps', body: 'By year.' });
    const first = await acme.made({ agent_id, ...FACT });
    const [found, ...others] = await similarTo(acme, { agent_id, title: 'Deployments are on Fridays' });
    expect(found).toMatchObject({ memory_id: first.id });
    expect(found!.similarity).toBeGreaterThan(0.5);
    expect(found!.similarity).toBeLessThan(1);
    expect(others).toEqual([]);
    expect(await similarTo(acme, { agent_id, title: 'The office has plants', body: 'Water them.' })).toEqual(
      [],
    );
  });

  it('are active memories of the same agent, at most three, nearest first', async () => {
    const agent_id = world.agentId();
    const gone = await acme.made({ agent_id, ...FACT });
    await acme.change(gone.id, { status: 'archived' });
    await acme.made({ agent_id: world.agentId(), ...FACT });
    expect(await similarTo(acme, { agent_id })).toEqual([]);
    for (const day of ['Mondays', 'Wednesdays', 'Thursdays'])
      await acme.made({ agent_id, ...FACT, title: `Deployments are on ${day}` });
    const found = await similarTo(acme, { agent_id });
    expect(found).toHaveLength(3);
    expect(found[0]!.similarity).toBe(1);
  });

  it('are never memories of another workspace', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, ...FACT });
    expect(await similarTo(other, { agent_id: world.agentId() })).toEqual([]);
    expect((await createAsking(other, { agent_id })).statusCode).toBe(403);
  });

  it('are replayed for a repeated idempotency key, but not after a failed request', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, ...FACT });
    const key = { 'idempotency-key': crypto.randomUUID() };
    const [first, again] = [
      await createAsking(acme, { agent_id }, key),
      await createAsking(acme, { agent_id }, key),
    ];
    expect(again.body).toBe(first.body);
    expect(first.json().similar).toHaveLength(1);
    const refused = { 'idempotency-key': crypto.randomUUID() };
    await createAsking(acme, { agent_id, title: 'Once', supersedes: [crypto.randomUUID()] }, refused);
    expect(await acme.titles(agent_id, 'Once')).toEqual([]);
  });
});

describe('supersedes', () => {
  it('archives what the new memory replaces, and the history names the actor and the new memory', async () => {
    const agent_id = world.agentId();
    const [one, two] = [await acme.made({ agent_id, ...FACT }), await acme.made({ agent_id, ...FACT })];
    const made = await acme.made({ agent_id, ...FACT, supersedes: [one.id.toUpperCase(), two.id, one.id] });
    expect(made).toMatchObject({ status: 'active' });
    expect(await acme.titles(agent_id, 'deployments')).toEqual([FACT.title]);
    for (const { id } of [one, two]) {
      expect((await acme.read(id)).json()).toMatchObject({ status: 'archived', superseded_by: made.id });
      const { entries } = (await acme.get(`/memories/${id}/history`)).json();
      expect(entries[0]).toMatchObject({
        action: 'archived',
        actor: { user_id: acme.admin.user_id },
        changes: {
          status: { from: 'active', to: 'archived' },
          superseded_by: { from: null, to: made.id },
        },
      });
    }
  });

  it('is also accepted by a change, for the ids in similar', async () => {
    const agent_id = world.agentId();
    const [old, made] = [await acme.made({ agent_id, ...FACT }), await acme.made({ agent_id, ...FACT })];
    expect((await acme.change(made.id, { supersedes: [old.id] })).json()).toMatchObject({ status: 'active' });
    expect((await acme.read(old.id)).json()).toMatchObject({ status: 'archived', superseded_by: made.id });
    for (const [ids, detail] of [
      [[made.id], 'supersedes must not name the memory itself'],
      [[crypto.randomUUID()], 'supersedes must name memories of this agent'],
    ] as const) {
      const refused = await acme.change(made.id, { title: 'Changed', supersedes: ids });
      expect([refused.statusCode, refused.json().detail]).toEqual([422, detail]);
    }
    expect((await acme.read(made.id)).json().title).toBe(FACT.title);
  });

  it('refuses unknown ids and ids of another agent or workspace alike, and creates nothing', async () => {
    const agent_id = world.agentId();
    const known = await acme.made({ agent_id, ...FACT });
    const foreign = await other.made({ agent_id: world.agentId(), ...FACT });
    const neighbors = await acme.made({ agent_id: world.agentId(), ...FACT });
    for (const id of [crypto.randomUUID(), foreign.id, neighbors.id]) {
      const refused = await acme.create({ agent_id, ...FACT, title: 'New', supersedes: [known.id, id] });
      expect([refused.statusCode, refused.json().detail]).toEqual([
        422,
        'supersedes must name memories of this agent',
      ]);
    }
    expect((await acme.create({ agent_id, ...FACT, supersedes: ['one'] })).statusCode).toBe(422);
    expect((await acme.read(known.id)).json().status).toBe('active');
    expect((await other.read(foreign.id)).json().status).toBe('active');
    expect((await acme.stats(`?agent_id=${agent_id}`)).json().total_active).toBe(1);
  });
});

describe('A token of an agent', () => {
  it('deletes memories of that agent only, and archives memories of other agents', async () => {
    const [own, others] = [world.agentId(), world.agentId()];
    const mine = await acme.made({ agent_id: own, ...FACT });
    const theirs = await acme.made({ agent_id: others, ...FACT });
    const token = await world.token(acme.brand, acme.admin, undefined, { agent_id: own });
    const send = (method: 'DELETE' | 'PATCH', id: string, payload?: object) =>
      world.inject({
        method,
        url: `/api/v1/memory/memories/${id}`,
        headers: { authorization: `Bearer ${token}` },
        ...(payload && { payload }),
      });
    const refused = await send('DELETE', theirs.id);
    expect(refused.statusCode).toBe(403);
    expect(refused.json().detail).toMatch(/archive this one instead/);
    expect((await acme.read(theirs.id)).json().status).toBe('active');
    expect((await send('PATCH', theirs.id, { status: 'archived' })).json().status).toBe('archived');
    expect((await send('DELETE', crypto.randomUUID())).statusCode).toBe(404);
    expect((await send('DELETE', mine.id)).statusCode).toBe(204);
    expect((await acme.remove(theirs.id)).statusCode).toBe(204);
  });
});

describe('The built-in encoder', () => {
  it('finds a repetition in other words and a contradiction', async () => {
    const node = await startMemoryWorld({ EMBEDDER: 'embedded' });
    try {
      const space = await node.workspace();
      await node.app.embedder.embed(['warm'], AbortSignal.timeout(60_000));
      const agent_id = node.agentId();
      const made = await space.made({ agent_id, title: 'The user prefers dark mode', body: 'In all apps.' });
      await space.made({ agent_id, title: 'Plants are watered on Fridays', body: 'In the office.' });
      await node.runJob('memory-embed');
      const ask = async (title: string, body: string): Promise<Similar[]> =>
        (
          await node.inject({
            method: 'POST',
            url: '/api/v1/memory/memories?similar=true',
            headers: space.bearer,
            payload: { agent_id, kind: 'preference', title, body },
          })
        ).json().similar;
      for (const [title, body] of [
        ['Dark themes everywhere', 'The user likes a dark mode in every app.'],
        ['The user prefers light mode', 'In all apps.'],
      ] as const) {
        const found = await ask(title, body);
        expect(
          found.map(({ memory_id }) => memory_id),
          title,
        ).toContain(made.id);
        for (const { similarity } of found) expect(similarity).toBeGreaterThanOrEqual(0.7);
      }
    } finally {
      await node.stop();
    }
  });
});
