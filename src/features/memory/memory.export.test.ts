import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '../../../tests/support/app.js';
import { hireWorld } from '../../../tests/support/hires.js';
import { type MemoryWorld, startMemoryWorld, WEEK } from '../../../tests/support/memory.js';
import { silentLog } from '../../kernel/log.js';
import { createExport } from './export/export.service.js';
import { memoryFiles } from './export/memory-file.js';
import { BEGIN_MARKER, END_MARKER } from './records/memory.record.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;

beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace();
});
afterAll(() => world.stop());

const pathOf = (agentId: string) => join(world.config.agentsDir, agentId, 'MEMORY.md');
const read = (agentId: string) => readFile(pathOf(agentId), 'utf8');
const runExport = () => world.runJob('memory-export');
async function write(agentId: string, content: string | Buffer) {
  await mkdir(join(world.config.agentsDir, agentId), { recursive: true });
  await writeFile(pathOf(agentId), content);
}

describe('memory-export', () => {
  it('creates a missing file and folder with the marked section', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, title: 'The harbour closes at ten', body: 'On weekdays.' });
    await runExport();
    const text = await read(agent_id);
    expect(text.startsWith(BEGIN_MARKER)).toBe(true);
    expect(text.trimEnd().endsWith(END_MARKER)).toBe(true);
    expect(text).toContain('- The harbour closes at ten\n  On weekdays.');
  });

  it('keeps every byte outside the markers and replaces only the section', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, title: 'New one' });
    const before = Buffer.concat([Buffer.from('# Mine\r\n\tkeep \xff\xfe', 'latin1'), Buffer.from('\r\n')]);
    const after = Buffer.from('\r\n\n  tail without newline');
    await write(agent_id, Buffer.concat([before, Buffer.from(`${BEGIN_MARKER}\nold\n${END_MARKER}`), after]));
    await runExport();
    const bytes = await readFile(pathOf(agent_id));
    expect(bytes.subarray(0, before.length).equals(before)).toBe(true);
    expect(bytes.subarray(-after.length).equals(after)).toBe(true);
    expect(bytes.toString()).toContain('New one');
    expect(bytes.toString()).not.toContain('\nold\n');
  });

  it.each([
    ['no markers', 'My own notes'],
    ['only the begin marker', `Notes\n${BEGIN_MARKER}\nmore notes`],
    ['only the end marker', `Notes\n${END_MARKER}\nmore notes\n`],
    ['the markers in the wrong order', `${END_MARKER} a ${BEGIN_MARKER} b`],
  ])('appends the section once to a file with %s and loses nothing', async (_, content) => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, title: 'Appended' });
    await write(agent_id, content);
    await runExport();
    const once = await read(agent_id);
    expect(once.startsWith(content)).toBe(true);
    await acme.made({ agent_id, title: 'Another' });
    await runExport();
    const twice = await read(agent_id);
    expect(twice.startsWith(content)).toBe(true);
    expect(twice.split('- Appended').length).toBe(2);
  });

  it('states how many memories it left out, if any', async () => {
    const agent_id = world.agentId();
    const section = async () => (await acme.get(`/agents/${agent_id}/section`)).body;
    for (let n = 0; n < 50; n += 1) await acme.made({ agent_id, title: `Memory ${n}` });
    await runExport();
    for (const text of [await read(agent_id), await section()]) expect(text).not.toContain('not listed');
    await acme.made({ agent_id, title: 'One more', confidence: 0.4 });
    await runExport();
    for (const text of [await read(agent_id), await section()])
      expect(text).toContain('\n1 memory is not listed here; search finds it.\n');
    for (let n = 0; n < 69; n += 1) await acme.made({ agent_id, title: `Lesser ${n}`, confidence: 0.4 });
    await runExport();
    const text = await read(agent_id);
    expect(text).toContain('\n70 memories are not listed here; search finds them.\n');
    expect(text.match(/^- /gm)).toHaveLength(50);
    const untouched = await stat(pathOf(agent_id));
    await runExport();
    expect((await stat(pathOf(agent_id))).mtimeMs).toBe(untouched.mtimeMs);
  });

  it('prefers importance over age among memories of about the same confidence', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, title: 'Old and important', importance: 'high' });
    await acme.made({ agent_id, title: 'Old and sure', confidence: 1 });
    await world.advance(WEEK);
    for (let n = 0; n < 55; n += 1) await acme.made({ agent_id, title: `New ${n}` });
    await acme.made({ agent_id, title: 'Important but unsure', importance: 'high', confidence: 0.5 });
    const { body } = await acme.get(`/agents/${agent_id}/section`);
    const titles = [...body.matchAll(/^- (.*)$/gm)].map(([, title]) => title);
    expect(titles).toHaveLength(50);
    expect(titles).toEqual(expect.arrayContaining(['Old and important', 'Old and sure']));
    expect(titles).not.toContain('Important but unsure');
  });

  it('lists decisions and preferences first, and within a kind the last verified first', async () => {
    const agent_id = (
      (
        await acme.send('POST', '/agents/resolve', {
          program: 'claude',
          repository: 'https://git.example/team/ledger-of-worth',
        })
      ).json() as { agent_id: string }
    ).agent_id;
    for (const kind of ['fact', 'learning', 'pattern', 'preference'])
      await acme.made({ agent_id, kind, title: `One ${kind}` });
    const old = await acme.made({ agent_id, kind: 'decision', title: 'The oldest decision' });
    await world.advance(60);
    await acme.made({ agent_id, kind: 'decision', title: 'The ledger-of-worth rounds half up' });
    await world.advance(60);
    await acme.made({ agent_id, kind: 'decision', title: 'A newer one', body: 'Decision: a newer one.' });
    await world.advance(60);
    await acme.change(old.id, {});
    const section = (await acme.get(`/agents/${agent_id}/section`)).body;
    const titles = section
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map((line) => line.slice(2));
    expect(titles).toEqual([
      'The ledger-of-worth rounds half up',
      'The oldest decision',
      'A newer one',
      'One preference',
      'One pattern',
      'One learning',
      'One fact',
    ]);
    expect(section).not.toContain('Decision: a newer one.');
  });

  it('lists the 50 with the highest confidence, with every title, within 200 lines and 25 KB', async () => {
    const agent_id = world.agentId();
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        acme.made({
          agent_id,
          title: `${'t'.repeat(440)} ${i}.`,
          body: 'word '.repeat(400),
          confidence: 0.3 + i / 100,
        }),
      ),
    );
    await runExport();
    const text = await read(agent_id);
    for (let i = 0; i < 60; i += 1) expect([i, text.includes(` ${i}.\n`)]).toEqual([i, i >= 10]);
    expect(text.split('\n').length).toBeLessThan(200);
    expect(Buffer.byteLength(text)).toBeLessThan(25_000);
  });

  it('neutralizes marker text inside a memory', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, title: `Beware ${END_MARKER}`, body: `x\n${BEGIN_MARKER}\ny` });
    await runExport();
    await runExport();
    const text = await read(agent_id);
    expect(text.split(BEGIN_MARKER)).toHaveLength(2);
    expect(text.split(END_MARKER)).toHaveLength(2);
    expect(text).toContain('Beware');
  });

  it('writes an empty section when all memories are deleted', async () => {
    const agent_id = world.agentId();
    const { id } = await acme.made({ agent_id, title: 'Gone soon' });
    await runExport();
    await acme.remove(id);
    await runExport();
    const text = await read(agent_id);
    expect(text).not.toContain('Gone soon');
    expect(text).toContain(BEGIN_MARKER);
  });

  it('does not rewrite unchanged content', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id });
    await runExport();
    const before = await stat(pathOf(agent_id));
    await runExport();
    const after = await stat(pathOf(agent_id));
    expect([after.mtimeMs, after.ino]).toEqual([before.mtimeMs, before.ino]);
  });

  it('applies a changed line as a correction and archives the memory of a deleted line', async () => {
    const agent_id = world.agentId();
    const first = await acme.made({ agent_id, title: 'The price is 10 euros', body: 'Since March.' });
    const second = await acme.made({ agent_id, title: 'The shop sells maps', body: 'And globes.' });
    const third = await acme.made({ agent_id, title: 'The owner is Vera', body: 'She is from Riga.' });
    await runExport();
    const text = await read(agent_id);
    await write(
      agent_id,
      text
        .replace('10 euros', '12 euros')
        .replace('She is from Riga.', 'She is from Vilnius.')
        .replace('- The shop sells maps\n  And globes.\n', ''),
    );
    await runExport();
    expect((await acme.read(first.id)).json()).toMatchObject({
      title: 'The price is 12 euros',
      body: 'Since March.',
      status: 'active',
    });
    expect((await acme.read(second.id)).json().status).toBe('archived');
    expect((await acme.read(third.id)).json().body).toBe('She is from Vilnius.');
    const now = await read(agent_id);
    expect(now).toContain('12 euros');
    expect(now).not.toContain('The shop sells maps');
  });

  it('keeps a line a person added as a fact', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, title: 'Known before' });
    await runExport();
    await write(
      agent_id,
      (await read(agent_id)).replace(END_MARKER, `- The cellar is flooded\n${END_MARKER}`),
    );
    await runExport();
    expect(await acme.titles(agent_id, 'cellar')).toEqual(['The cellar is flooded']);
  });

  it('does not mistake the file of another export for a person’s edits', async () => {
    const agent_id = world.agentId();
    const kept = await acme.made({ agent_id, title: 'Exported first' });
    await runExport();
    const old = await read(agent_id);
    const later = await acme.made({ agent_id, title: 'Exported later' });
    await runExport();
    await write(agent_id, old);
    await runExport();
    for (const { id } of [kept, later]) expect((await acme.read(id)).json().status).toBe('active');
    expect(await read(agent_id)).toContain('Exported later');
  });

  it('prefers a newer change through the API to an older line', async () => {
    const agent_id = world.agentId();
    const memory = await acme.made({ agent_id, title: 'The gate is green' });
    await runExport();
    await write(agent_id, (await read(agent_id)).replace('green', 'blue'));
    await acme.change(memory.id, { title: 'The gate is red' });
    await runExport();
    expect((await acme.read(memory.id)).json().title).toBe('The gate is red');
  });

  it('writes complete files when several nodes export at once', async () => {
    const agent_id = world.agentId();
    await acme.made({ agent_id, title: 'Shared' });
    const node = await startTestApp({
      database: world.database,
      env: { AGENTS_DIR: world.config.agentsDir },
    });
    try {
      await Promise.all([runExport(), node.runJob('memory-export'), runExport()]);
      expect((await read(agent_id)).split(BEGIN_MARKER)).toHaveLength(2);
      expect((await acme.stats(`?agent_id=${agent_id}`)).json().total_active).toBe(1);
    } finally {
      await node.stop();
    }
  });
});

describe('An agent directory removed with its hire', () => {
  const hired = async () => {
    const at = hireWorld(world.world);
    const { profile_id } = await at.employee();
    const hire = await at.active(acme.cookie, profile_id);
    return {
      agent_id: hire.agent_id!,
      end: (how?: 'cancel-immediate') => at.cancel(acme.cookie, hire.hire_id, how),
      at,
    };
  };
  const isThere = (agentId: string) =>
    stat(join(world.config.agentsDir, agentId)).then(
      () => true,
      () => false,
    );

  it('is not created again by the export when memories are added later', async () => {
    const { agent_id, end } = await hired();
    await acme.made({ agent_id, title: 'Before the end' });
    await runExport();
    expect(await read(agent_id)).toContain('Before the end');
    expect((await end('cancel-immediate')).json()).toMatchObject({ management_record_deleted: true });
    await acme.made({ agent_id, title: 'After the end' });
    await runExport();
    expect(await isThere(agent_id)).toBe(false);
    expect(await acme.titles(agent_id, 'end')).toHaveLength(2);
  });

  it('is not created again by an export that runs while the hire ends', async () => {
    const { agent_id, end } = await hired();
    await acme.made({ agent_id });
    const real = memoryFiles(world.config.agentsDir);
    let ending: Promise<unknown> | undefined;
    await createExport({
      db: world.db,
      clock: world.clock,
      log: silentLog,
      outbox: { record: async () => {} },
      agentsDir: world.config.agentsDir,
      files: {
        ...real,
        read: (agentId) => {
          if (agentId === agent_id) ending ??= end('cancel-immediate');
          return real.read(agentId);
        },
      },
    }).exportAll(new AbortController().signal);
    await ending;
    expect(await isThere(agent_id)).toBe(false);
  });

  it('remains until the period of the hire is over', async () => {
    const { agent_id, end, at } = await hired();
    await acme.made({ agent_id, title: 'Still here' });
    await end();
    await runExport();
    expect(await read(agent_id)).toContain('Still here');
    await world.advance(31 * 24 * 3600);
    await at.reconcile();
    await runExport();
    expect(await isThere(agent_id)).toBe(false);
  });
});
