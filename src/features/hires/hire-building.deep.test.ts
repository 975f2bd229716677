import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { hireWorld } from '../../../tests/support/hires.js';

const REPOSITORY = { url: 'https://git.test/shop.git', branch: 'trunk' };

let world: World;
let at: ReturnType<typeof hireWorld>;

beforeAll(async () => {
  world = await startTestApp();
  at = hireWorld(world);
});
afterAll(() => world.stop());

const folder = (agentId: string) => join(world.config.agentsDir, agentId);

async function madeFor(brandId: number) {
  const count = async (table: string) => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(table)} where brand_id = ${brandId}`.execute(world.db);
    return rows[0]!.n;
  };
  return {
    agents: await count('agents'),
    packages: await count('installed_packages'),
    references: await count('hire_packages'),
    desks: await count('desks'),
  };
}

const NOTHING = { agents: 0, packages: 0, references: 0, desks: 0 };
const EVERYTHING = { agents: 1, packages: 2, references: 2, desks: 1 };

describe('Building a hire in the background', () => {
  it('creates the agent, its directory with configuration entry and MEMORY.md, and the installs', async () => {
    const { brand, cookie } = await world.workspace();
    const { profile_id } = await at.employee({ name: 'Åsa Öberg, Mail & More' });
    const hire = await at.active(cookie, profile_id);
    expect(hire.agent_id).toMatch(/^[a-z0-9-]+$/);
    expect(hire.agent_id).toContain('mail-more');
    expect(hire.workstation_id).toBeNull();
    expect(hire.steps.map(({ key, state }) => [key, state])).toEqual([
      ['agent', 'done'],
      ['packages', 'done'],
      ['workspace', 'done'],
    ]);
    const { rows } = await sql`select name, brand_id from agents where agent_id = ${hire.agent_id}`.execute(
      world.db,
    );
    expect(rows).toEqual([{ name: 'Åsa Öberg, Mail & More', brand_id: brand.brand_id }]);
    expect(JSON.parse(await readFile(join(folder(hire.agent_id), 'agent.json'), 'utf8'))).toMatchObject({
      agent_id: hire.agent_id,
      brand_id: brand.brand_id,
      hire_id: hire.hire_id,
      profile_id,
      runtime: 'claude_code',
      instructions: 'Be of use.',
      packages: ['mail', 'calendar'],
      workstation_id: null,
    });
    const memory = await readFile(join(folder(hire.agent_id), 'MEMORY.md'), 'utf8');
    expect(memory).toContain('<!-- guildhall:memory:begin -->\n<!-- guildhall:memory:end -->');
    expect(await madeFor(brand.brand_id)).toEqual({ ...EVERYTHING, desks: 0 });
  });

  it('gives a builder one desk, bound to the workspace and to the repository it builds', async () => {
    const { brand, cookie } = await world.workspace();
    const { profile_id } = await at.employee({ builder: true, repository: REPOSITORY });
    const hire = await at.active(cookie, profile_id);
    const { rows } = await sql`
      select brand_id, repository, runtime from desks where desk_id = ${hire.workstation_id}`.execute(
      world.db,
    );
    expect(rows).toEqual([{ brand_id: brand.brand_id, repository: REPOSITORY, runtime: 'claude_code' }]);
    const desk = await world.inject({
      url: `/api/v1/workstations/${hire.workstation_id}`,
      headers: { cookie },
    });
    expect(desk.json()).toMatchObject({ repository: REPOSITORY });
    const environment = await world.inject({
      url: `/api/v1/environments/${hire.workstation_id}`,
      headers: { cookie },
    });
    expect(environment.json()).toMatchObject({ repository: REPOSITORY });
    const entry = JSON.parse(await readFile(join(folder(hire.agent_id), 'agent.json'), 'utf8'));
    expect(entry).toMatchObject({ workstation_id: hire.workstation_id, repository: REPOSITORY });
  });

  it("shows a desk's repository without credentials, and none for a desk that was ordered manually", async () => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee({
      builder: true,
      repository: { url: 'https://me:p@ss@git.test/shop.git' },
    });
    const { workstation_id } = await at.active(cookie, profile_id);
    const plain = (
      await world.inject({
        method: 'POST',
        url: '/api/v1/workstations',
        headers: { cookie },
        payload: { name: 'Plain' },
      })
    ).json();
    const read = async (path: string) => (await world.inject({ url: path, headers: { cookie } })).json();
    const shown = { url: 'https://git.test/shop.git', branch: null };
    expect((await read(`/api/v1/workstations/${workstation_id}`)).repository).toEqual(shown);
    expect((await read(`/api/v1/environments/${workstation_id}`)).repository).toEqual(shown);
    expect(plain).not.toHaveProperty('repository');
    expect(await read(`/api/v1/workstations/${plain.workstation_id}`)).not.toHaveProperty('repository');
    expect((await read(`/api/v1/environments/${plain.workstation_id}`)).repository).toBeNull();
  });

  it.each([
    ['codex', 'codex'],
    ['python', 'custom'],
  ])('gives a builder with runtime %s a desk with runtime %s', async (runtime, expected) => {
    const { cookie } = await world.workspace();
    const { profile_id } = await at.employee({ builder: true, template: { runtime } });
    const hire = await at.active(cookie, profile_id);
    const { rows } = await sql`select runtime from desks where desk_id = ${hire.workstation_id}`.execute(
      world.db,
    );
    expect(rows).toEqual([{ runtime: expected }]);
  });

  it.each([
    ['an empty template', {}, 0],
    ['a duplicate package', { packages: ['a', 'b', 'a'] }, 2],
  ])('takes %s', async (_, template, packages) => {
    const { brand, cookie } = await world.workspace();
    await at.active(cookie, (await at.employee({ template })).profile_id);
    expect(await madeFor(brand.brand_id)).toMatchObject({ agents: 1, packages, references: packages });
  });

  it('builds the hire as it was hired, without later changes of the catalog', async () => {
    const { brand, cookie } = await world.workspace();
    const { profile_id } = await at.employee({ template: { packages: ['first'] } });
    const { hire_id } = (await at.hire(cookie, profile_id)).json();
    await world.operator('PATCH', `/catalog/${profile_id}`, { template: null, published: false });
    await at.build();
    expect((await at.record(cookie, hire_id)).status).toBe('active');
    expect((await madeFor(brand.brand_id)).packages).toBe(1);
  });

  it('builds a hire once when two nodes find it at the same time', async () => {
    const { brand, cookie } = await world.workspace();
    const node = await startTestApp({
      database: world.database,
      env: { AGENTS_DIR: world.config.agentsDir },
    });
    try {
      const { profile_id } = await at.employee({ builder: true });
      const { hire_id } = (await at.hire(cookie, profile_id)).json();
      const passes = await Promise.all([at.build(), node.runJob('hire-provision'), at.build()]);
      expect(passes.reduce((sum, { processed }) => sum + processed, 0)).toBe(1);
      expect((await at.record(cookie, hire_id)).status).toBe('active');
      expect(await madeFor(brand.brand_id)).toEqual(EVERYTHING);
    } finally {
      await node.stop();
    }
  });

  it('starts right after the hire', async () => {
    const { cookie } = await world.workspace();
    const node = await startTestApp({ database: world.database, workers: true });
    try {
      const { hire_id } = (await hireWorld(node).hire(cookie, (await at.employee()).profile_id)).json();
      await expect
        .poll(async () => (await at.record(cookie, hire_id)).status, { timeout: 120_000 })
        .toBe('active');
    } finally {
      await node.stop();
    }
  });
});

describe('A hire above the desk limit', () => {
  it('creates nothing, and is built once a desk is free', async () => {
    const { brand, cookie } = await world.workspace({ plan: 'free' });
    const order = {
      method: 'POST',
      url: '/api/v1/workstations',
      headers: { cookie },
      payload: { name: 'Mine' },
    } as const;
    const { workstation_id } = (await world.inject(order)).json();
    const { profile_id } = await at.employee({ builder: true });
    const { hire_id } = (await at.hire(cookie, profile_id)).json();
    expect(await at.build()).toMatchObject({ processed: 0, failed: 0 });

    const waiting = await at.record(cookie, hire_id);
    expect(waiting).toMatchObject({ status: 'provisioning', agent_id: null, workstation_id: null });
    expect(waiting.error).toContain('1 of the 1 workstations');
    expect(waiting.steps.map(({ key, state, reason }) => [key, state, reason])).toEqual([
      ['agent', 'pending', null],
      ['packages', 'pending', null],
      ['desk', 'failed', waiting.error],
      ['workspace', 'blocked', 'blocked_by:desk'],
    ]);
    expect(await madeFor(brand.brand_id)).toEqual({ ...NOTHING, desks: 1 });

    await world.inject({
      method: 'DELETE',
      url: `/api/v1/workstations/${workstation_id}`,
      headers: { cookie },
    });
    expect(await at.build()).toMatchObject({ processed: 1, failed: 0 });
    expect(await at.record(cookie, hire_id)).toMatchObject({ status: 'active', error: null });
    expect(await madeFor(brand.brand_id)).toEqual(EVERYTHING);
  });

  it('is logged once as waiting and never as a failure', async () => {
    const { cookie } = await world.workspace({ plan: 'free' });
    const employees = [await at.employee({ builder: true }), await at.employee({ builder: true })];
    const hired: string[] = [];
    for (const { profile_id } of employees) hired.push((await at.hire(cookie, profile_id)).json().hire_id);
    const node = await startTestApp({
      database: world.database,
      env: { AGENTS_DIR: world.config.agentsDir, LOG_LEVEL: 'info' },
    });
    try {
      const passes = [await node.runJob('hire-provision'), await node.runJob('hire-provision')];
      expect(passes).toMatchObject([
        { processed: 1, failed: 0 },
        { processed: 0, failed: 0 },
      ]);
      const told = node.logLines.map((line) => JSON.parse(line)).filter(({ hire }) => hire === hired[1]);
      expect(told).toMatchObject([{ level: 30, msg: expect.stringContaining('A hire waits') }]);
      expect(node.logLines.join('')).not.toContain('"failed":1');
    } finally {
      await node.stop();
      await at.cancel(cookie, hired[1]!, 'cancel-immediate');
    }
  });

  it('does not block other hires', async () => {
    const { cookie } = await world.workspace({ plan: 'free' });
    const builders = [await at.employee({ builder: true }), await at.employee({ builder: true })];
    const hired = [];
    for (const { profile_id } of [...builders, await at.employee()])
      hired.push((await at.hire(cookie, profile_id)).json());
    await at.build();
    const states = await Promise.all(
      hired.map(async ({ hire_id }) => (await at.record(cookie, hire_id)).status),
    );
    expect(states).toEqual(['active', 'provisioning', 'active']);
    await at.cancel(cookie, hired[1].hire_id, 'cancel-immediate');
  });
});

describe('A failure between two build steps leaves nothing half done', () => {
  const FAULTS = {
    raise: "raise exception 'torn apart at /secret/path'",
    terminate: 'perform pg_terminate_backend(pg_backend_pid())',
  };
  const places = [
    ['agent', 'agents', 'insert', ''],
    ['packages', 'installed_packages', 'insert', ''],
    ['desk', 'desks', 'insert', ''],
    ['workspace', 'hires', 'update', "when (new.status = 'active')"],
  ] as const;

  async function setTrap(table: string, event: string, condition: string, fault: string) {
    await sql
      .raw(
        `create function spring_trap() returns trigger language plpgsql as $$ begin ${fault}; return new; end $$`,
      )
      .execute(world.db);
    await sql
      .raw(
        `create trigger trap before ${event} on ${table} for each row ${condition} execute function spring_trap()`,
      )
      .execute(world.db);
    return () => sql.raw('drop function spring_trap cascade').execute(world.db);
  }

  for (const [mode, fault] of Object.entries(FAULTS)) {
    it.each(places)(`${mode} at the step %s (%s)`, async (step, table, event, condition) => {
      const { brand, cookie } = await world.workspace();
      const { profile_id } = await at.employee({ builder: true, repository: REPOSITORY });
      const { hire_id } = (await at.hire(cookie, profile_id)).json();

      const removeTrap = await setTrap(table, event, condition, fault);
      const pass = await at.build().finally(removeTrap);
      expect(pass).toMatchObject({ processed: 0, failed: 1 });
      const torn = await at.record(cookie, hire_id);
      expect(torn).toMatchObject({ status: 'provisioning', agent_id: null, workstation_id: null });
      expect(torn.steps.find(({ state }) => state === 'failed')?.key).toBe(step);
      expect(torn.error).not.toContain('secret');
      expect(await madeFor(brand.brand_id)).toEqual(NOTHING);

      expect(await at.build()).toMatchObject({ processed: 1, failed: 0 });
      const built = await at.record(cookie, hire_id);
      expect(built).toMatchObject({ status: 'active', error: null });
      expect(await madeFor(brand.brand_id)).toEqual(EVERYTHING);
      expect((await readdir(folder(built.agent_id!))).sort()).toEqual(['MEMORY.md', 'agent.json']);
    });
  }

  it('leaves nothing when the directory cannot be created', async () => {
    const { brand, cookie } = await world.workspace();
    const { agentsDir } = world.config;
    await mkdir(agentsDir, { recursive: true });
    const { hire_id } = (await at.hire(cookie, (await at.employee()).profile_id)).json();
    await rename(agentsDir, `${agentsDir}.aside`);
    await writeFile(agentsDir, 'in the way');
    expect(await at.build()).toMatchObject({ failed: 1 });
    const torn = await at.record(cookie, hire_id);
    expect(torn.error).toBe('The workspace directory could not be set up; it is tried again');
    expect(await madeFor(brand.brand_id)).toEqual(NOTHING);
    await rm(agentsDir);
    await rename(`${agentsDir}.aside`, agentsDir);
    await at.build();
    expect((await at.record(cookie, hire_id)).status).toBe('active');
  });

  it.each(['desk', 'workspace', 'commit'])(
    'leaves nothing when the worker is killed before the %s',
    async (diesBefore) => {
      const { brand, cookie } = await world.workspace();
      const { hire_id } = (await at.hire(cookie, (await at.employee({ builder: true })).profile_id)).json();
      const connection = JSON.stringify(world.database.connection);
      const worker = spawn(
        process.execPath,
        [
          '--import',
          'tsx',
          'tests/support/killed-hire-build.ts',
          connection,
          world.config.agentsDir,
          hire_id,
          diesBefore,
        ],
        { stdio: 'inherit' },
      );
      const [, signal] = await once(worker, 'exit');
      expect(signal).toBe('SIGKILL');
      expect(await at.record(cookie, hire_id)).toMatchObject({ status: 'provisioning', agent_id: null });
      expect(await madeFor(brand.brand_id)).toEqual(NOTHING);

      await at.build();
      expect((await at.record(cookie, hire_id)).status).toBe('active');
      expect(await madeFor(brand.brand_id)).toEqual(EVERYTHING);
    },
  );

  it('keeps an existing MEMORY.md in a repeated build', async () => {
    const { cookie } = await world.workspace();
    const { hire_id } = (await at.hire(cookie, (await at.employee()).profile_id)).json();
    const removeTrap = await setTrap('hires', 'update', "when (new.status = 'active')", FAULTS.raise);
    await at.build().finally(removeTrap);
    const [agentId] = (await readdir(world.config.agentsDir)).filter((name) =>
      name.endsWith(hire_id.slice(-12)),
    );
    const memory = join(folder(agentId!), 'MEMORY.md');
    await writeFile(memory, 'remembered');
    await at.build();
    expect((await at.record(cookie, hire_id)).status).toBe('active');
    expect(await readFile(memory, 'utf8')).toBe('remembered');
  });
});
