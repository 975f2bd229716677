import { renameSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { openBuildWorld } from '../../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';
import type { BuildPolicyInput } from '../policy/policy.schemas.js';

const world = await openBuildWorld();
const home = await world.furnish();

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('POST /api/v1/board/tasks/{task_id}/builds', () => {
  it('queues a build and returns its settings', async () => {
    const card = await home.card({ task_type: 'docs' });
    const { status, body } = await home.post(card.id, { note: 'Mind the tone' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      task_id: card.id,
      ref: card.ref,
      project_id: home.projectId,
      attempt: 1,
      status: 'queued',
      silent: false,
      waiting_for: 'desk',
      held_until: null,
      coder: 'claude',
      profile: 'claude.docs',
      settings: null,
      workstation_id: null,
      wanted_workstation_id: null,
      branch: `guildhall/${card.ref.toLowerCase()}-1`,
      base_sha: home.baseSha,
      head_sha: null,
      continues: null,
      note: 'Mind the tone',
      created_by: { user_id: home.space.admin.user_id, name: home.space.admin.full_name, agent_id: null },
      claimed_at: null,
      finished_at: null,
      usage: null,
      diff: null,
      log_bytes: 0,
      brief_digest: null,
      confirmed: false,
    });
    expect((await home.get(body.build_id)).build_id).toBe(body.build_id);
  });

  it('allows one open build per card, and names it in the refusal', async () => {
    const card = await home.card();
    const first = await home.build(card.id);
    const second = await home.post(card.id);
    expect(second.status).toBe(409);
    expect(second.body.detail).toMatchObject({ error: 'build_open', build_id: first.build_id });
  });

  it('accepts exactly one of many simultaneous requests', async () => {
    const card = await home.card();
    const answers = await Promise.all(Array.from({ length: 8 }, () => home.post(card.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it("takes the card's profile, and the coder from the profile", async () => {
    const card = await home.card({ agent_context: { profile: 'codex.hard' } });
    expect(await home.build(card.id)).toMatchObject({
      coder: 'codex',
      profile: 'codex.hard',
    });
  });

  it("takes the card's profile for a named coder only if the profile uses that coder", async () => {
    const card = await home.card({ agent_context: { profile: 'codex.hard' }, task_type: 'test' });
    expect(await home.build(card.id, { coder: 'pi' })).toMatchObject({ coder: 'pi', profile: 'pi.test' });
    const other = await home.card({ agent_context: { profile: 'codex.hard' } });
    expect(await home.build(other.id, { coder: 'codex' })).toMatchObject({ profile: 'codex.hard' });
  });

  it.each([
    [{ coder: 'emacs' }],
    [{ profile: 'claude.cooking' }],
    [{ coder: 'codex', profile: 'claude.docs' }],
    [{ continues: UNKNOWN }],
    [{ base_branch: 'no-such-branch' }],
    [{ base_branch: '--upload-pack=evil' }],
    [{ unknown: 1 }],
    [{ note: 'x'.repeat(20_001) }],
    [{ workstation_id: 'no-uuid' }],
  ])('returns 422 for %j', async (body) => {
    const card = await home.card();
    expect((await home.post(card.id, body)).status).toBe(422);
  });

  it('refuses a continues that is not a finished build of this card', async () => {
    const card = await home.card();
    const other = await home.card();
    const open = await home.build(card.id);
    const elsewhere = await home.build(other.id);
    await home.call('POST', `/api/v1/factory/builds/${elsewhere.build_id}/cancel`);
    expect((await home.post(card.id, { continues: open.build_id })).status).toBe(422);
    expect((await home.post(card.id, { continues: elsewhere.build_id })).status).toBe(422);
  });

  it('continues a finished build as the next attempt', async () => {
    const card = await home.card();
    const first = await home.build(card.id);
    await home.call('POST', `/api/v1/factory/builds/${first.build_id}/cancel`);
    const second = await home.build(card.id, { continues: first.build_id });
    expect(second).toMatchObject({
      attempt: 2,
      continues: first.build_id,
      branch: `guildhall/${card.ref.toLowerCase()}-2`,
    });
  });

  it('continues from commits without asking the repository', async () => {
    const card = await home.card();
    const first = await home.build(card.id, { base_branch: 'main' });
    await world.database.db
      .updateTable('builds')
      .set({ head_sha: 'c'.repeat(40), finished_at: new Date(), outcome: 'succeeded' })
      .where('build_id', '=', first.build_id)
      .execute();
    const away = `${home.repository.folder}-away`;
    renameSync(home.repository.folder, away);
    const { status, body } = await home.post(card.id, { continues: first.build_id });
    renameSync(away, home.repository.folder);
    expect([status, body.base_sha, body.base_branch]).toEqual([201, 'c'.repeat(40), first.base_branch]);
  });

  it('treats a coder outside the plan as unknown', async () => {
    const free = await world.furnish({ plan: 'free' });
    const card = await free.card();
    expect((await free.post(card.id, { coder: 'openhands' })).status).toBe(422);
    expect((await free.post(card.id, { profile: 'pi.docs' })).status).toBe(422);
  });

  itDeeply(
    'returns 502 for another branch while the repository is unavailable, and declares 502 and 504',
    async () => {
      const card = await home.card();
      const { folder } = home.repository;
      renameSync(folder, `${folder}-away`);
      const refused = await home.post(card.id, { base_branch: 'release' });
      renameSync(`${folder}-away`, folder);
      expect(refused.status).toBe(502);
      const { paths } = (await world.inject({ url: '/openapi.json' })).json();
      const { responses } = paths['/api/v1/board/tasks/{task_id}/builds'].post;
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['502', '504']));
    },
  );

  it('returns 404 for a card or a desk of another workspace', async () => {
    const other = await world.furnish();
    const card = await other.card();
    expect((await home.post(card.id)).status).toBe(404);
    expect((await home.post(UNKNOWN)).status).toBe(404);
    const own = await home.card();
    const foreign = await other.readyDesk();
    expect((await home.post(own.id, { workstation_id: foreign.id })).status).toBe(404);
    expect((await home.post(own.id, { workstation_id: UNKNOWN })).status).toBe(404);
  });

  it('returns 422 for a desk that cannot run the coder, and 409 for a suspended one', async () => {
    const space = await world.furnish();
    const codex = await space.readyDesk({ runtime: 'codex' });
    const card = await space.card();
    expect((await space.post(card.id, { coder: 'claude', workstation_id: codex.id })).status).toBe(422);
    await world.asMember(space.space)('PATCH', `/api/v1/environments/${codex.id}`, { status: 'suspended' });
    expect((await space.post(card.id, { coder: 'codex', workstation_id: codex.id })).status).toBe(409);
  });

  it('returns 409 for a card without a project, a repository or a ready index', async () => {
    const loose = await home.card({ project_id: null });
    expect((await home.post(loose.id)).body.detail).toBe('This card has no project');
    const bare = await home.call<{ project_id: string }>('POST', '/api/v1/projects', { name: 'Bare' });
    const card = await home.card({ project_id: bare.body.project_id });
    expect((await home.post(card.id)).body.detail).toBe('The project of this card has no repository');
    const fresh = await home.call<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Fresh',
      repository: { url: home.repository.folder },
    });
    const early = await home.card({ project_id: fresh.body.project_id });
    expect((await home.post(early.id)).body.detail).toBe('The project of this card has no ready index yet');
  });

  it('returns 403 for guests', async () => {
    const card = await home.card();
    const guest = await world.person();
    await home.call('PUT', `/api/v1/board/boards/${home.boardId}/guests/${guest.user_id}`, {
      role: 'editor',
    });
    const cookie = await world.signIn(guest, home.space.brand);
    for (const [method, url] of [
      ['POST', `/api/v1/board/tasks/${card.id}/builds`],
      ['GET', '/api/v1/factory/builds'],
      ['GET', '/api/v1/factory/builds/policy'],
    ] as const)
      expect(
        (await world.inject({ method, url, headers: { cookie }, ...(method === 'POST' && { payload: {} }) }))
          .statusCode,
      ).toBe(403);
  });
});

describe('Plan limits on builds', () => {
  it('allow one open build on the free plan, and return 429 with Retry-After for the second', async () => {
    const free = await world.furnish({ plan: 'free' });
    const first = await free.build((await free.card()).id);
    const refused = await free.post((await free.card()).id);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await free.call('POST', `/api/v1/factory/builds/${first.build_id}/cancel`);
    expect((await free.post((await free.card()).id)).status).toBe(201);
  });

  itDeeply('does not count a build as open after its time is up, even before the job ends it', async () => {
    const free = await world.furnish({ plan: 'free' });
    const desk = await free.readyDesk({ runtime: 'claude_code' });
    await free.build((await free.card()).id);
    await free.take(desk);
    const next = await free.card();
    expect((await free.post(next.id)).status).toBe(429);
    await world.advance(601);
    expect((await free.post(next.id)).status).toBe(201);
  });

  itDeeply('allows twenty builds a day on the free plan, and the next one after Retry-After', async () => {
    const free = await world.furnish({ plan: 'free' });
    const card = await free.card();
    for (let count = 0; count < 20; count += 1) {
      const { build_id } = await free.build(card.id);
      await free.call('POST', `/api/v1/factory/builds/${build_id}/cancel`);
    }
    const refused = await free.post(card.id);
    expect(refused.status).toBe(429);
    await world.advance(Number(refused.headers['retry-after']) + 1);
    expect((await free.post(card.id)).status).toBe(201);
  });

  itDeeply('returns a Retry-After that covers all builds above a lowered limit', async () => {
    const space = await world.furnish();
    const card = await space.card();
    for (let count = 0; count < 3; count += 1) {
      const { build_id } = await space.build(card.id);
      await space.call('POST', `/api/v1/factory/builds/${build_id}/cancel`);
      await world.advance(600);
    }
    await space.call('PUT', '/api/v1/factory/builds/policy', { max_per_day: 2 });
    const refused = await space.post(card.id);
    expect([refused.status, refused.body.detail]).toEqual([
      429,
      'This workspace has started 2 of 2 builds a day',
    ]);
    await world.advance(Number(refused.headers['retry-after']));
    expect((await space.post(card.id)).status).toBe(201);
  });

  it('hold for simultaneous requests', async () => {
    const team = await world.furnish({ plan: 'team' });
    const cards = await Promise.all(Array.from({ length: 9 }, () => team.card()));
    const answers = await Promise.all(cards.map(({ id }) => team.post(id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
  });
});

describe('GET, PUT /api/v1/factory/builds/policy', () => {
  const POLICY = '/api/v1/factory/builds/policy';

  it('returns open defaults until an admin changes the policy', async () => {
    expect((await home.call('GET', POLICY)).body).toEqual({
      enabled: true,
      max_open: null,
      max_per_day: null,
      max_minutes: null,
      reviewer: null,
      rework: { on_gate: false, on_checks: false, on_changes_requested: false, on_conflict: false },
      stall_minutes: 20,
      question_hours: 72,
      budget: { build_usd: null, card_usd: null, day_usd: null, month_usd: null },
    });
  });

  it('returns and stores the value of each field, on the first change and on the second', async () => {
    const space = await world.furnish({ plan: 'enterprise' });
    const reviewer = { on: 'risky', profile: 'claude.coding', same_family: true };
    const valuesOf: { [Field in keyof BuildPolicyInput]-?: [unknown, unknown] } = {
      enabled: [false, true],
      max_open: [3, 4],
      max_per_day: [30, 40],
      max_minutes: [50, null],
      rework: [{ on_gate: true }, { on_gate: false, on_conflict: true }],
      reviewer: [reviewer, { ...reviewer, on: 'all' }],
      allow_secrets: [true, false],
      stall_minutes: [0, 45],
      question_hours: [1, 720],
      budget: [{ day_usd: 12 }, { day_usd: 13.5, month_usd: 100 }],
    };
    for (const [field, values] of Object.entries(valuesOf))
      for (const value of values) {
        const { body } = await space.call('PUT', POLICY, { [field]: value });
        // A workspace that does not allow secrets does not get the field.
        if (value === false && field === 'allow_secrets') expect(body).not.toHaveProperty(field);
        else expect(body, field).toMatchObject({ [field]: value });
        expect((await space.call('GET', POLICY)).body, field).toEqual(body);
      }
  });

  it('refuses builds with 403 when they are switched off', async () => {
    const space = await world.furnish();
    const card = await space.card();
    expect((await space.call('PUT', POLICY, { enabled: false })).status).toBe(200);
    expect((await space.post(card.id)).status).toBe(403);
    await space.call('PUT', POLICY, {});
    expect((await space.post(card.id)).status).toBe(403);
    await space.call('PUT', POLICY, { enabled: true });
    expect((await space.post(card.id)).status).toBe(201);
  });

  it("accepts limits up to the plan's limits, and enforces them", async () => {
    const space = await world.furnish({ plan: 'team' });
    for (const [body, status] of [
      [{ max_open: 6 }, 422],
      [{ max_per_day: 201 }, 422],
      [{ max_open: 0 }, 422],
      [{ max_open: '3' }, 422],
      [{ max_open: 5, max_per_day: 200 }, 200],
      [{ max_open: 1, max_minutes: 30 }, 200],
    ] as const)
      expect((await space.call('PUT', POLICY, body)).status, JSON.stringify(body)).toBe(status);
    await space.build((await space.card()).id);
    expect((await space.post((await space.card()).id)).status).toBe(429);
  });

  it('can be changed by admins only', async () => {
    const member = await world.member(home.space.brand);
    const token = await world.token(home.space.brand, member);
    const bearer = { authorization: `Bearer ${token}` };
    expect((await home.call('PUT', POLICY, { enabled: true }, bearer)).status).toBe(403);
    expect((await home.call('GET', POLICY, undefined, bearer)).status).toBe(200);
  });
});

describe('GET /api/v1/factory/builds', () => {
  it('lists newest first by card, state and desk, with pages that neither skip nor repeat', async () => {
    const space = await world.furnish();
    const card = await space.card();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { build_id } = await space.build(card.id);
      made.unshift(build_id);
      if (count < 4) await space.call('POST', `/api/v1/factory/builds/${build_id}/cancel`);
    }
    type Page = { builds: { build_id: string }[]; total: number; next_cursor: string | null };
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await space.call<Page>(
        'GET',
        `/api/v1/factory/builds?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      expect(body.total).toBe(5);
      seen.push(...body.builds.map(({ build_id }) => build_id));
      cursor = body.next_cursor ?? '';
    } while (cursor);
    expect(seen).toEqual(made);
    const only = async (query: string) =>
      (await space.call<Page>('GET', `/api/v1/factory/builds?${query}`)).body.total;
    expect(await only('status=canceled')).toBe(4);
    expect(await only('status=queued')).toBe(1);
    expect(await only(`task_id=${card.id}`)).toBe(5);
    expect(await only(`task_id=${UNKNOWN}`)).toBe(0);
    expect(await only(`workstation_id=${UNKNOWN}`)).toBe(0);
    expect(await only('state=open')).toBe(1);
    expect(await only('state=finished')).toBe(4);
    expect(await only('coder=claude')).toBe(5);
    expect(await only('coder=codex')).toBe(0);
  });

  itDeeply('returns each card of the builds once with with=tasks', async () => {
    const space = await world.furnish();
    const card = await space.card({ title: 'Ring the workSignal' });
    const { build_id } = await space.build(card.id);
    await space.call('POST', `/api/v1/factory/builds/${build_id}/cancel`);
    await space.build(card.id);
    const list = '/api/v1/factory/builds';
    expect((await space.call('GET', `${list}?with=tasks`)).body['tasks']).toEqual([
      {
        task_id: card.id,
        board_id: space.boardId,
        title: 'Ring the workSignal',
        pr_number: null,
        pr_url: null,
        pr_state: null,
      },
    ]);
    expect((await space.call('GET', list)).body).not.toHaveProperty('tasks');
  });

  it.each(['limit=0', 'limit=201', 'status=dancing', 'task_id=1'])('returns 422 for %s', async (query) => {
    expect((await home.call('GET', `/api/v1/factory/builds?${query}`)).status).toBe(422);
  });

  it('returns 400 for an invalid cursor', async () => {
    expect((await home.call('GET', '/api/v1/factory/builds?cursor=abc')).status).toBe(400);
  });

  it('shows nothing of another workspace', async () => {
    const other = await world.furnish();
    const build = await other.build((await other.card()).id);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/log'],
      ['GET', '/log/stream'],
      ['POST', '/cancel'],
    ] as const)
      expect((await home.call(method, `/api/v1/factory/builds/${build.build_id}${path}`)).status).toBe(404);
    expect((await home.call('GET', '/api/v1/factory/builds/no-uuid')).status).toBe(404);
  });
});
