import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, type Project } from '../../../tests/support/code-world.js';
import { secondProjectService } from '../../../tests/support/project-service.js';
import { EXTRACTOR_VERSION } from '../../code/parsing/facts.js';

let code: CodeWorld;

beforeAll(async () => {
  code = await CodeWorld.start();
});
afterAll(() => code.stop());

const DIED =
  'The index run ended early twice. It is retried when there is a new commit, or when you request it.';

const indexOf = async (project: Project) =>
  (
    await code.call<{ index_id: string; status: string; error: string | null }>(
      'GET',
      `/api/v1/projects/${project.id}/index`,
    )
  ).body;

async function attached(): Promise<Project> {
  const repository = code.repository();
  repository.save({ 'a.ts': 'export function f() {}' });
  return code.attach(repository);
}

/** Leaves a running index run behind whose process died this many times. */
async function leaveBehind(project: Project, tries: number): Promise<void> {
  const commit = project.repository.git('rev-parse', 'HEAD');
  await sql`update code_indexes set status = 'running' where project_id = ${project.id}`.execute(
    code.world.db,
  );
  await sql`
    update projects set tries = ${tries}, tried_commit = ${commit}, tried_extractor = ${EXTRACTOR_VERSION}
    where project_id = ${project.id}`.execute(code.world.db);
}

describe('Index run that ended the process', () => {
  it('resumes when the process starts', async () => {
    const project = await attached();
    await leaveBehind(project, 1);
    await sql`delete from graphile_worker._private_jobs`.execute(code.world.db);
    const { jobs } = code.world.app;
    await jobs.start();
    await expect.poll(() => indexOf(project)).toMatchObject({ status: 'ready', error: null });
    await jobs.stop();
  });

  it('fails the second time and is retried with a new commit', async () => {
    const project = await attached();
    await leaveBehind(project, 2);
    await code.world.runJob('project-index-wanted');
    const failed = await indexOf(project);
    expect(failed).toMatchObject({ status: 'failed', error: DIED });
    await code.world.runJob('project-index');
    expect(await indexOf(project)).toEqual(failed);
    project.repository.save({ 'b.ts': '' });
    await code.world.runJob('project-index');
    expect(await indexOf(project)).toMatchObject({ status: 'ready', files: 2 });
  });

  it('is retried on request', async () => {
    const project = await attached();
    await leaveBehind(project, 2);
    await code.world.runJob('project-index-wanted');
    expect(await project.index()).toMatchObject({ status: 'ready', files: 1 });
  });
});

describe('Index run over many files', () => {
  const paths = Array.from({ length: 600 }, (_, index) => `m${index}.ts`);
  const files = (version: number) =>
    Object.fromEntries(
      paths.map((path) => [path, `export function ${path.slice(0, -3)}() { return '${path} ${version}'; }`]),
    );

  it('keeps parsed facts for the next run and deletes unused ones', async () => {
    const repository = code.repository();
    repository.save(files(1));
    const project = await code.attach(repository);
    const countFacts = async () => {
      const { rows } = await sql<{ facts: number }>`
        select count(*)::int as facts from code_facts where project_id = ${project.id}`.execute(
        code.world.db,
      );
      return rows[0]!.facts;
    };
    await sql`alter table code_nodes add constraint no_nodes check (path <> 'm7.ts') not valid`.execute(
      code.world.db,
    );
    expect(await project.index()).toMatchObject({ status: 'failed' });
    expect(await countFacts()).toBeGreaterThanOrEqual(500);
    await sql`alter table code_nodes drop constraint no_nodes`.execute(code.world.db);
    repository.remove(...paths.slice(100)).commit();
    expect(await project.index()).toMatchObject({ status: 'ready', files: 100 });
    expect(await countFacts()).toBe(100);
    repository.save(files(2));
    repository.save(files(3));
    expect(await project.index()).toMatchObject({ status: 'ready', files: 600 });
    expect(await countFacts()).toBe(600);
  });
});

describe('Index run whose thread dies', () => {
  it('is tried twice and then fails without harm to the service', async () => {
    let started = 0;
    const { projects, close } = secondProjectService(code, {
      startCodeThread: () => {
        started++;
        return new Worker(
          "require('node:worker_threads').parentPort.once('message', () => process.exit(3))",
          {
            eval: true,
          },
        );
      },
    });
    const project = await attached();
    await projects.indexer.runWanted(new AbortController().signal);
    expect(await indexOf(project)).toMatchObject({ status: 'failed', error: DIED });
    expect(started).toBe(2);
    await projects.indexer.runAll(new AbortController().signal);
    expect(started).toBe(2);
    const row = await projects.findProject(code.workspace.brand.brand_id, project.id);
    const commit = project.repository.git('rev-parse', 'HEAD');
    await expect(
      projects.compare({ project: row!, base: commit, head: commit, paths: [] }),
    ).rejects.toMatchObject({ status: 504 });
    await close();
  });
});
