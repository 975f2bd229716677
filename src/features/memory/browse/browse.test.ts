import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld, WEEK } from '../../../../tests/support/memory.js';
import type { MemoryRecord } from '../records/memory.record.js';

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

interface Page {
  memories: MemoryRecord[];
  total: number;
  next_cursor: string | null;
}

async function list(query: Record<string, string>, asking = acme): Promise<Page> {
  const response = await asking.get(`/memories?${new URLSearchParams(query)}`);
  if (response.statusCode !== 200) throw new Error(`list: ${response.statusCode} ${response.body}`);
  return response.json();
}

const titles = ({ memories }: Page) => memories.map(({ title }) => title);

describe('GET /api/v1/memory/memories', () => {
  it('lists the memories of an agent, last changed first, each once over all pages', async () => {
    const agent_id = world.agentId();
    const made: MemoryRecord[] = [];
    for (let i = 0; i < 7; i++) made.push(await acme.made({ agent_id, title: `Fact ${i}` }));
    await world.advance(60);
    await acme.change(made[2]!.id, { title: 'Fact 2, corrected' });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list({ agent_id, limit: '3', ...(cursor && { cursor }) });
      expect(page.total).toBe(7);
      seen.push(...titles(page));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen[0]).toBe('Fact 2, corrected');
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
    expect((await list({ agent_id, limit: '1' })).memories[0]).toEqual((await acme.read(made[2]!.id)).json());
  });

  it('filters by status, kind, staleness and text', async () => {
    const agent_id = world.agentId();
    const old = await acme.made({ agent_id, title: 'Old', kind: 'decision' });
    await acme.made({ agent_id, title: 'Percent', body: 'It is 100% sure', tags: ['billing'] });
    const gone = await acme.made({ agent_id, title: 'Gone' });
    await world.advance(5 * WEEK);
    await acme.change(gone.id, { status: 'archived' });
    await acme.made({ agent_id, title: 'New', description: 'A Summary' });
    const found = async (query: Record<string, string>) => titles(await list({ agent_id, ...query })).sort();
    expect(await found({})).toEqual(['Gone', 'New', 'Old', 'Percent']);
    expect(await found({ status: 'archived' })).toEqual(['Gone']);
    expect(await found({ status: 'active', stale: 'true' })).toEqual(['Old', 'Percent']);
    expect(await found({ stale: 'false' })).toEqual(['Gone', 'New']);
    expect(await found({ kind: 'decision' })).toEqual(['Old']);
    expect(await found({ q: '100%' })).toEqual(['Percent']);
    expect(await found({ q: '%' })).toEqual(['Percent']);
    expect(await found({ q: 'BILLING' })).toEqual(['Percent']);
    expect(await found({ q: 'a summary' })).toEqual(['New']);
    expect(await found({ q: 'nothing of it' })).toEqual([]);
    expect((await list({ agent_id, status: 'archived' })).total).toBe(1);
    expect((await acme.read(old.id)).json().stale).toBe(true);
  });

  it('returns nothing for an agent of another workspace', async () => {
    const agent_id = world.agentId();
    await other.made({ agent_id });
    expect(await list({ agent_id })).toEqual({ memories: [], total: 0, next_cursor: null });
  });

  it.each([
    ['without agent_id', ''],
    ['limit 0', 'agent_id=a&limit=0'],
    ['limit 201', 'agent_id=a&limit=201'],
    ['an unknown status', 'agent_id=a&status=lost'],
    ['an unknown kind', 'agent_id=a&kind=song'],
  ])('422: %s', async (_, query) => {
    expect((await acme.get(`/memories?${query}`)).statusCode).toBe(422);
  });

  it('400 for a cursor it did not issue or that belongs to another agent', async () => {
    const [one, two] = [world.agentId(), world.agentId()];
    for (const agent_id of [one, one, two]) await acme.made({ agent_id });
    const { next_cursor } = await list({ agent_id: one, limit: '1' });
    expect((await acme.get(`/memories?agent_id=${two}&cursor=${next_cursor}`)).statusCode).toBe(400);
    expect((await acme.get(`/memories?agent_id=${two}&cursor=abc`)).statusCode).toBe(400);
  });
});

interface Entry {
  id: string;
  at: string;
  action: string;
  actor: { user_id: number; name: string } | null;
  changes: Record<string, { from: unknown; to: unknown }>;
}

const history = async (id: string): Promise<{ entries: Entry[]; total: number }> =>
  (await acme.get(`/memories/${id}/history`)).json();

describe('GET /api/v1/memory/memories/{memory_id}/history', () => {
  it('lists changes newest first, with actor and old values', async () => {
    const { id } = await acme.made({ agent_id: world.agentId(), title: 'Tea at four', tags: ['tea'] });
    await world.advance(60);
    await acme.change(id, { title: 'Tea at five', description: 'When' });
    await world.advance(60);
    await acme.change(id, {});
    await acme.change(id, { status: 'archived' });
    await acme.change(id, { status: 'active' });
    const { entries, total } = await history(id);
    expect(total).toBe(5);
    expect(entries.map(({ action }) => action)).toEqual([
      'restored',
      'archived',
      'verified',
      'changed',
      'created',
    ]);
    const actor = { user_id: acme.admin.user_id, name: acme.admin.full_name, agent_id: null };
    for (const entry of entries) expect(entry.actor).toEqual(actor);
    expect(entries[3]!.changes).toEqual({
      title: { from: 'Tea at four', to: 'Tea at five' },
      description: { from: null, to: 'When' },
    });
    expect(entries[0]!.changes).toEqual({ status: { from: 'archived', to: 'active' } });
    expect(entries[4]!.changes).toEqual({});
    expect(Date.parse(entries[3]!.at) - Date.parse(entries[4]!.at)).toBe(60_000);
  });

  it('includes merges by the service and unmerges by a person', async () => {
    const agent_id = world.agentId();
    const sources = [];
    for (const name of ['one', 'two', 'three'])
      sources.push(await acme.made({ agent_id, kind: 'learning', title: `Learned ${name}`, tags: ['ci'] }));
    await world.runJob('memory-consolidate');
    const merged = (await history(sources[0]!.id)).entries[0]!;
    expect([merged.action, merged.actor]).toEqual(['merged', null]);
    const pattern = merged.changes['merged_into']!.to as string;
    await acme.send('POST', `/memories/${pattern}/unmerge`);
    const back = (await history(sources[0]!.id)).entries[0]!;
    expect([back.action, back.actor?.user_id]).toEqual(['unmerged', acme.admin.user_id]);
    expect((await history(pattern)).entries.map(({ action }) => action)).toEqual(['archived', 'created']);
  });

  it("is deleted with the memory, and no other history keeps a deleted memory's text", async () => {
    const agent_id = world.agentId();
    const sources = [];
    for (const name of ['alpha', 'beta', 'gamma'])
      sources.push(await acme.made({ agent_id, kind: 'learning', title: `Secret ${name}`, tags: ['ci'] }));
    await world.runJob('memory-consolidate');
    const pattern = (await acme.read(sources[0]!.id)).json().merged_into;
    const { body } = (await acme.read(pattern)).json();
    await acme.change(pattern, { body: `${body}\nSaid by hand` });
    expect(JSON.stringify(await history(pattern))).toContain('Secret alpha');
    expect((await acme.remove(sources[0]!.id)).statusCode).toBe(204);
    expect((await acme.get(`/memories/${sources[0]!.id}/history`)).statusCode).toBe(404);
    const kept = await history(pattern);
    expect(kept.entries[0]!.action).toBe('changed');
    expect(JSON.stringify(kept)).not.toContain('Secret alpha');
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from memory_history where memory_id = ${sources[0]!.id}`.execute(world.db);
    expect(rows[0]!.count).toBe(0);
  });

  it('returns the newest 200 entries with the total, also after new entries', async () => {
    const { id } = await acme.made({ agent_id: world.agentId() });
    const told = async () => {
      const { entries, total } = await history(id);
      return [entries.length, entries[0]!.changes['title']?.to, total];
    };
    const rename = async (from: number, to: number) => {
      for (let n = from; n <= to; n += 1)
        await sql`update memories set title = ${`Title ${n}`} where memory_id = ${id}`.execute(world.db);
    };
    await rename(1, 198);
    expect(await told()).toEqual([199, 'Title 198', 199]);
    await rename(199, 199);
    expect([await told(), await told()]).toEqual(Array(2).fill([200, 'Title 199', 200]));
    await rename(200, 203);
    expect([await told(), await told()]).toEqual(Array(2).fill([200, 'Title 203', 204]));
    // As after restoring a database backup.
    await sql`delete from memory_history where memory_id = ${id} and changes->'title'->>'to' = 'Title 203'`.execute(
      world.db,
    );
    expect(await told()).toEqual([200, 'Title 202', 203]);
  });

  it('404 for a memory of another workspace', async () => {
    const { id } = await other.made({ agent_id: world.agentId() });
    expect((await acme.get(`/memories/${id}/history`)).statusCode).toBe(404);
  });

  it("appears in the person's data export without the texts", async () => {
    const { id } = await acme.made({ agent_id: world.agentId(), title: 'Belongs to the workspace' });
    const cookie = await world.signIn(acme.admin, acme.brand);
    const response = await world.inject({ url: '/api/v1/me/export', headers: { cookie } });
    expect(response.json().memory_changes).toContainEqual(
      expect.objectContaining({ memory_id: id, action: 'created', brand_id: acme.brand.brand_id }),
    );
    expect(response.body).not.toContain('Belongs to the workspace');
  });
});

describe('Conversations', () => {
  const push = async (agent_id: string, external_id: string) =>
    (
      await acme.push({
        agent_id,
        source_type: 'claude_code',
        external_id,
        messages: [{ role: 'user', content: 'We decided to use tabs.' }],
      })
    ).json() as { id: string };

  const stand = (id: string, status: string, attempts: number) =>
    sql`update memory_conversations set status = ${status}, attempts = ${attempts}, next_attempt_at = null, error = 'No model'
      where conversation_id = ${id}`.execute(world.db);

  it('GET /conversations pages with next_cursor and returns each conversation once', async () => {
    const agent_id = world.agentId();
    for (let i = 0; i < 5; i++) await push(agent_id, `talk-${i}`);
    await world.advance(1);
    await push(agent_id, 'newest');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { conversations: { external_id: string }[]; total: number; next_cursor: string | null } = (
        await acme.get(`/conversations?agent_id=${agent_id}&limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      ).json();
      expect(page.total).toBe(6);
      seen.push(...page.conversations.map((each) => each.external_id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen[0]).toBe('newest');
    expect(seen).toHaveLength(6);
    expect(new Set(seen).size).toBe(6);
    expect((await acme.get('/conversations?cursor=abc')).statusCode).toBe(400);
  });

  it('POST /conversations/{id}/retry makes a failed conversation due now and keeps its attempts', async () => {
    const { id } = await push(world.agentId(), 'failed');
    await stand(id, 'failed', 5);
    const response = await acme.send('POST', `/conversations/${id}/retry`);
    expect(response.statusCode).toBe(202);
    expect(response.json()).toMatchObject({
      id,
      status: 'waiting',
      attempts: 5,
      next_attempt_at: world.clock.now().toISOString(),
    });
    await world.runJob('memory-retry');
    const listed = (await acme.get('/conversations?status=done')).json().conversations;
    expect(listed.map((each: { id: string }) => each.id)).toContain(id);
  });

  it('POST /conversations/{id}/retry returns 409 while or after the conversation is learned from, and 404 in another workspace', async () => {
    const { id } = await push(world.agentId(), 'busy');
    for (const status of ['processing', 'done']) {
      await stand(id, status, 1);
      expect((await acme.send('POST', `/conversations/${id}/retry`)).statusCode).toBe(409);
    }
    await stand(id, 'failed', 5);
    expect((await other.send('POST', `/conversations/${id}/retry`)).statusCode).toBe(404);
  });
});

describe('GET /api/v1/memory/memories/health', () => {
  it('returns growth by week, confidence, kinds, staleness, conversations and sources', async () => {
    const agent_id = world.agentId();
    const first = await acme.made({ agent_id, kind: 'decision', confidence: 1, importance: 'critical' });
    await acme.made({ agent_id, kind: 'fact', confidence: 0.05 });
    await world.advance(5 * WEEK);
    await acme.made({ agent_id, kind: 'fact', confidence: 0.55 });
    const gone = await acme.made({ agent_id, kind: 'fact', confidence: 0.5 });
    await acme.change(gone.id, { status: 'archived' });
    await acme.push({
      agent_id,
      source_type: 'claude_code',
      external_id: 'health',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await acme.source({ agent_id, source_type: 'agentboard' });
    const health = (await acme.get(`/memories/health?agent_id=${agent_id}&weeks=3`)).json();
    expect(health.agent_id).toBe(agent_id);
    expect(health.weeks).toHaveLength(3);
    for (const { week } of health.weeks) expect(new Date(`${week}T00:00:00Z`).getUTCDay()).toBe(1);
    expect(
      health.weeks.map(({ created, archived, total }: Record<string, number>) => [created, archived, total]),
    ).toEqual([
      [0, 0, 2],
      [0, 0, 2],
      [2, 1, 3],
    ]);
    expect(health.confidence).toHaveLength(10);
    expect(health.confidence.map(({ count }: { count: number }) => count)).toEqual([
      1, 0, 0, 0, 0, 1, 0, 0, 0, 1,
    ]);
    expect([health.confidence[0].from, health.confidence[9].to]).toEqual([0, 1]);
    expect(health.by_kind).toEqual({ decision: 1, fact: 2 });
    expect(health.stale).toBe(2);
    expect(health.conversations).toEqual({ waiting: 1, processing: 0, done: 0, failed: 0 });
    expect(health.sources).toEqual({ enabled: 1, failing: 0 });
    expect((await acme.read(first.id)).json().stale).toBe(true);
    const whole = (await acme.get('/memories/health')).json();
    expect([whole.agent_id, whole.weeks.length]).toEqual([null, 12]);
    expect(whole.weeks.at(-1).total).toBeGreaterThan(3);
    expect((await other.get(`/memories/health?agent_id=${agent_id}`)).json().by_kind).toEqual({});
    expect((await acme.get('/memories/health?weeks=53')).statusCode).toBe(422);
  });
});
