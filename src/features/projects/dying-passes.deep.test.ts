import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, type Project } from '../../../tests/support/code-world.js';
import { createSessionLocks } from '../../database/connection/session-locks.js';
import { silentLog } from '../../kernel/log.js';
import { createSecretBox } from '../../services/secrets/secret-box.js';
import { EXTRACTOR_VERSION } from './parsing/facts.js';
import { createProjectService } from './projects.service.js';

let code: CodeWorld;

beforeAll(async () => {
  code = await CodeWorld.start();
});
afterAll(() => code.stop());

const DIED =
  'The pass ended twice before it was done; it is tried again when there is a new commit, or when somebody asks for it';

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

/** The pass is under way, and the program has gone with it so many times. */
async function leaveBehind(project: Project, tries: number): Promise<void> {
  const commit = project.repository.git('rev-parse', 'HEAD');
  await sql`update code_indexes set status = 'running' where project_id = ${project.id}`.execute(
    code.world.db,
  );
  await sql`
    update projects set tries = ${tries}, tried_commit = ${commit}, tried_extractor = ${EXTRACTOR_VERSION}
    where project_id = ${project.id}`.execute(code.world.db);
}

describe('a pass that took the program down with it', () => {
  it('once is tried again', async () => {
    const project = await attached();
    await leaveBehind(project, 1);
    await code.world.runJob('project-index-wanted');
    expect(await indexOf(project)).toMatchObject({ status: 'ready', error: null });
  });

  it('twice is failed with a sentence, and is not tried again until there is a new commit', async () => {
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

  it('twice is tried again when somebody asks', async () => {
    const project = await attached();
    await leaveBehind(project, 2);
    await code.world.runJob('project-index-wanted');
    expect(await project.index()).toMatchObject({ status: 'ready', files: 1 });
  });
});

describe('a pass whose thread dies', () => {
  it('is tried twice, then failed, and leaves the service alone', async () => {
    const { app, config, db, clock } = code.world;
    const locks = createSessionLocks({ connection: code.world.database.connection, log: silentLog });
    let started = 0;
    const projects = createProjectService({
      db,
      clock,
      log: silentLog,
      jobs: app.jobs,
      notifications: app.notifications,
      locks,
      secrets: createSecretBox(['a key']),
      address: code.world.database,
      startCodeThread: () => {
        started++;
        return new Worker(
          "require('node:worker_threads').parentPort.once('message', () => process.exit(3))",
          {
            eval: true,
          },
        );
      },
      holdsStill: async () => true,
      repositoriesDir: config.repositoriesDir,
      mirrorsDir: config.dataDir,
      gitNetworks: config.gitNetworks,
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
    await projects.close();
    await locks.close();
  });
});
