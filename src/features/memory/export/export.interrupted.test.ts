import { chmod, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../../tests/support/memory.js';
import { silentLog } from '../../../kernel/log.js';
import { END_MARKER } from '../records/memory.record.js';
import { createExport } from './export.service.js';
import { type MemoryFiles, memoryFiles } from './memory-file.js';

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
let agentId: string;
let gate: string;
let folder: string;
let path: string;

beforeAll(async () => {
  world = await startMemoryWorld();
  await world.freeze();
  acme = await world.workspace();
});
afterAll(() => world.stop());

beforeEach(async () => {
  agentId = world.agentId();
  folder = join(world.config.agentsDir, agentId);
  path = join(folder, 'MEMORY.md');
  gate = (await acme.made({ agent_id: agentId, title: 'The gate is green', body: 'Since May.' })).id;
  await runExport();
});
afterEach(async () => {
  await sql`delete from memories where agent_id = ${agentId}`.execute(world.db);
  await sql`delete from memory_exports where agent_id = ${agentId}`.execute(world.db);
});

const runExport = () => world.runJob('memory-export');
const read = () => readFile(path, 'utf8');
const titles = async () =>
  (await acme.found(agentId, { limit: '50' })).memories.map(({ title }) => title).sort();
const edit = async (change: (text: string) => string) => writeFile(path, change(await read()));
const paintAndAdd = (text: string) =>
  text.replace('is green', 'is blue').replace(END_MARKER, `- The cellar is dry\n${END_MARKER}`);
const BOTH = ['The cellar is dry', 'The gate is blue'];

const exportWith = (files: Partial<MemoryFiles>) =>
  createExport({
    db: world.db,
    clock: world.clock,
    log: silentLog,
    outbox: { record: async () => {} },
    agentsDir: world.config.agentsDir,
    files: { ...memoryFiles(world.config.agentsDir), ...files },
  }).exportAll(new AbortController().signal);

describe('An export whose transaction fails', () => {
  /** Fails this many commits; a sequence counts them, because it is not rolled back. */
  async function failCommits(times: number, code: string): Promise<void> {
    await sql
      .raw(`
      create sequence failures;
      create function fail_commit() returns trigger language plpgsql as $$
        begin
          if nextval('failures') <= ${times} then raise exception 'made to fail' using errcode = '${code}'; end if;
          return null;
        end $$;
      create constraint trigger fail_commit after insert or update on memory_exports
        deferrable initially deferred for each row execute function fail_commit();
    `)
      .execute(world.db);
  }
  afterEach(() =>
    sql
      .raw('drop trigger fail_commit on memory_exports; drop function fail_commit; drop sequence failures')
      .execute(world.db),
  );

  it('keeps a person’s edits through a retry', async () => {
    await edit(paintAndAdd);
    await failCommits(2, '40001');
    expect(await runExport()).toMatchObject({ failed: 0 });
    expect(await titles()).toEqual(BOTH);
    expect(await read()).toContain('- The gate is blue');
  });

  it('leaves the edited file unchanged when it gives up, and reads the edits next time', async () => {
    await edit(paintAndAdd);
    const before = await read();
    await failCommits(1, '23514');
    expect(await runExport()).toMatchObject({ failed: 1 });
    expect(await read()).toBe(before);
    expect(await titles()).toEqual(['The gate is green']);
    await runExport();
    expect(await titles()).toEqual(BOTH);
  });
});

describe('An export interrupted between commit and rename', () => {
  const cutOff = () =>
    exportWith({
      put: async () => {
        throw new Error('kill -9');
      },
    });

  it('has saved the edits once, and the next export writes the file', async () => {
    await edit(paintAndAdd);
    const before = await read();
    expect(await cutOff()).toMatchObject({ failed: 1 });
    expect(await titles()).toEqual(BOTH);
    expect(await read()).toBe(before);
    expect(await cutOff()).toMatchObject({ failed: 1 });
    await runExport();
    expect(await titles()).toEqual(BOTH);
    expect(await read()).toContain('- The cellar is dry\n');
    expect(await runExport()).toMatchObject({ failed: 0 });
    expect(await titles()).toEqual(BOTH);
  });

  it('keeps what a person writes before the next export', async () => {
    await edit(paintAndAdd);
    await cutOff();
    await edit((text) =>
      text
        .replace('is blue', 'is red')
        .replace('cellar is dry', 'cellar is wet')
        .replace('Since May.', 'Since June.')
        .replace(END_MARKER, `- The attic is warm\n${END_MARKER}`),
    );
    await runExport();
    expect(await titles()).toEqual(['The attic is warm', 'The cellar is wet', 'The gate is red']);
    expect((await acme.read(gate)).json().body).toBe('Since June.');
  });

  it('archives what a person removes before the next export', async () => {
    await edit(paintAndAdd);
    await cutOff();
    await edit((text) => text.replace('- The gate is blue\n  Since May.\n', ''));
    await runExport();
    expect(await titles()).toEqual(['The cellar is dry']);
    expect((await acme.read(gate)).json().status).toBe('archived');
  });
});

describe('A person who edits during an export', () => {
  it('loses nothing, because the export compares the file again between commit and rename', async () => {
    const real = memoryFiles(world.config.agentsDir);
    let edited = false;
    await acme.made({ agent_id: agentId, title: 'The moat is deep' });
    const result = await exportWith({
      async put(id, wish) {
        if (id === agentId && !edited) {
          edited = true;
          await edit(paintAndAdd);
        }
        return real.put(id, wish);
      },
    });
    expect([edited, result.failed]).toEqual([true, 0]);
    expect(await titles()).toEqual([...BOTH, 'The moat is deep']);
    expect(await read()).toMatch(/cellar is dry[\s\S]*moat is deep|moat is deep[\s\S]*cellar is dry/);
  });

  it('delays the file to the next export while the edits continue', async () => {
    let times = 0;
    const real = memoryFiles(world.config.agentsDir);
    await acme.made({ agent_id: agentId, title: 'The moat is deep' });
    const result = await exportWith({
      async put(id, wish) {
        if (id === agentId) await edit((text) => `${text}${++times}\n`);
        return real.put(id, wish);
      },
    });
    expect(result.failed).toBe(1);
    expect(await read()).toContain(`${times}\n`);
    await runExport();
    expect(await read()).toContain('The moat is deep');
  });
});

describe('Files of an export', () => {
  it('leave only MEMORY.md in the directory, even after an interrupted write', async () => {
    const lost = `${path}.0190a0a0-0000-7000-8000-000000000000.tmp`;
    const young = `${path}.0190a0a0-0000-7000-8000-000000000001.tmp`;
    for (const name of [lost, young]) await writeFile(name, 'half a fi');
    await utimes(lost, 1, 1);
    await acme.made({ agent_id: agentId, title: 'The moat is deep' });
    await runExport();
    expect((await readdir(folder)).sort()).toEqual(['MEMORY.md', young.slice(folder.length + 1)]);
    expect(await read()).toContain('The moat is deep');
  });

  it('are readable only by the service, even where an earlier version made them public', async () => {
    const modes = async () => [(await stat(folder)).mode & 0o777, (await stat(path)).mode & 0o777];
    expect(await modes()).toEqual([0o700, 0o600]);
    await chmod(folder, 0o755);
    await chmod(path, 0o644);
    await runExport();
    expect((await modes())[1]).toBe(0o600);
    await acme.made({ agent_id: agentId, title: 'The moat is deep' });
    await runExport();
    expect(await modes()).toEqual([0o700, 0o600]);
  });

  it('never replace the target of a link', async () => {
    const other = world.agentId();
    await acme.made({ agent_id: other, title: 'The well is poisoned' });
    await runExport();
    await rm(path);
    await symlink(join(world.config.agentsDir, other, 'MEMORY.md'), path);
    expect(await runExport()).toMatchObject({ failed: 1 });
    expect(await titles()).toEqual(['The gate is green']);
    await sql`delete from agents where agent_id = ${other}`.execute(world.db);
  });
});
