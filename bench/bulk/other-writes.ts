import { join } from 'node:path';
import { GeneratedRepository, modulePath, moduleText } from '../lessons-code.js';
import { addInbox, type BulkWrite, type Ground, makeFullBoard, makePerson, runJob } from './ground.js';

const LESSON = (at: number) =>
  `---\ntype: rule\nanchors: ["src/area${at % 60}/part${at % 7}/module${at}.ts"]\n---\nKeep number ${at} as it is.\n`;

async function makeProject({ world }: Ground, repository?: object): Promise<string> {
  const { project_id } = await world.call('POST', '/api/v1/projects', {
    name: 'Bulk',
    ...(repository && { repository }),
  });
  return String(project_id);
}

const syncing = ({ world }: Ground, projectId: string, rows: number) => {
  const files = Array.from({ length: rows }, (_, at) => ({
    path: `lessons/bulk/l${at}.md`,
    content: LESSON(at),
  }));
  return () => world.call('POST', '/api/v1/memory/entries:sync', { project_id: projectId, files });
};

/** Creates a member with the given number of written and received records. */
async function makeMember(ground: Ground, rows: number): Promise<number> {
  const { world, client } = ground;
  const userId = await makePerson(ground);
  const boardId = await makeFullBoard({ ...ground, world: { ...world, userId } }, rows);
  await client.query(
    `insert into card_comments (comment_id, card_id, author_user_id, body, created_at)
     select gen_random_uuid(), card_id, $2, 'Said of ' || number, created_at from cards where board_id = $1`,
    [boardId, userId],
  );
  await client.query(
    `update board_activity e set actor_user_id = $2, changes = jsonb_build_object(
       'assignee', jsonb_build_object('from', null, 'to', jsonb_build_object('user_id', $2::int, 'name', 'Ada')))
     where board_id = $1`,
    [boardId, userId],
  );
  await addInbox(ground, boardId, userId, '1 hour');
  return userId;
}

const ADD_MEMORIES = `
  with agent as (
    insert into agents (agent_id, name, brand_id, created_at) values ('bulk-' || $1::int, 'Bulk', $1, now()) returning agent_id
  )
  insert into memories (memory_id, brand_id, agent_id, kind, title, body, importance, set_confidence, created_at, updated_at, last_verified_at, changed_by)
  select gen_random_uuid(), $1, agent_id, 'fact', 'Memory ' || n, 'What is known of number ' || n, 'normal', 0.8, now(), now(), now(), $2
  from agent cross join generate_series(1, $3::int) n`;

export const otherWrites: BulkWrite[] = [
  {
    name: 'lessons synced',
    rows: 1250,
    prepare: async (ground, rows) => syncing(ground, await makeProject(ground), rows),
  },
  {
    name: 'a repository indexed, with lessons',
    rows: 500,
    async prepare(ground, rows) {
      const repository = new GeneratedRepository(
        join(ground.repositories, String(ground.world.brandId), 'code'),
      );
      for (let at = 0; at < rows; at += 1) repository.write(modulePath(at), moduleText(at, rows, 2));
      repository.commit('all');
      const projectId = await makeProject(ground, { url: repository.folder });
      await syncing(ground, projectId, rows)();
      await runJob(ground, 'project-index');
      for (let at = 0; at < rows; at += 1)
        repository.write(modulePath(at), `${moduleText(at, rows, 2)}export const more${at} = ${at};\n`);
      repository.commit('all of it again');
      return () => runJob(ground, 'project-index');
    },
  },
  {
    name: 'a project deleted',
    rows: 2500,
    async prepare(ground, rows) {
      const projectId = await makeProject(ground);
      await syncing(ground, projectId, rows / 2)();
      await ground.client.query(
        `insert into code_nodes (project_id, node_no, node_id, kind, path, live)
         select $1, n, gen_random_uuid(), 'file', 'src/m' || n || '.ts', true from generate_series(1, $2::int) n`,
        [projectId, rows],
      );
      const boardId = await makeFullBoard(ground, rows);
      await ground.client.query('update cards set project_id = $1 where board_id = $2', [projectId, boardId]);
      return () => ground.world.call('DELETE', `/api/v1/projects/${projectId}`);
    },
  },
  {
    name: 'all of an inbox done',
    rows: 5000,
    async prepare(ground, rows) {
      const boardId = await makeFullBoard(ground, rows);
      await addInbox(ground, boardId, ground.world.userId, '1 hour');
      return () => ground.world.call('POST', '/api/v1/me/inbox/done', {});
    },
  },
  {
    name: 'a member removed',
    rows: 2500,
    async prepare(ground, rows) {
      const userId = await makeMember(ground, rows);
      return () => ground.world.operator('DELETE', `/brands/${ground.world.brandId}/members/${userId}`);
    },
  },
  {
    name: 'a person erased',
    rows: 2500,
    async prepare(ground, rows) {
      const userId = await makeMember(ground, rows);
      return async () => {
        await ground.world.operator('DELETE', `/users/${userId}`);
        await runJob(ground, 'erase');
      };
    },
  },
  {
    name: 'a workspace erased',
    rows: 2500,
    async prepare(ground, rows) {
      await makeMember(ground, rows);
      await syncing(ground, await makeProject(ground), rows / 2)();
      await ground.client.query(ADD_MEMORIES, [ground.world.brandId, ground.world.userId, rows]);
      return async () => {
        await ground.world.operator('DELETE', `/brands/${ground.world.brandId}`, { name: 'Bench' });
        await runJob(ground, 'erase');
      };
    },
  },
];
