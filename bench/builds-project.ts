import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchWorld } from './row.js';

/** Creates a project with an indexed repository, and a board for its cards. */
export async function makeProject(world: BenchWorld, dataDir: string) {
  const folder = join(dataDir, 'repositories', String(world.brandId), 'code');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'main.ts'), 'export const answer = 42;\n');
  const git = (...args: string[]) =>
    execFileSync('git', [
      '-C',
      folder,
      '-c',
      'user.name=Bench',
      '-c',
      'user.email=bench@example.com',
      ...args,
    ]);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=Begin');
  const project = await world.call('POST', '/api/v1/projects', {
    name: 'Code',
    repository: { url: folder },
  });
  // The stream closes when the index is ready.
  const events = `${world.url}/api/v1/projects/${project['project_id']}/index/events`;
  await (await fetch(events, { headers: world.bearer })).text();
  const board = await world.call('POST', '/api/v1/board/boards', { name: 'Work' });
  return { projectId: String(project['project_id']), boardId: String(board['board_id']) };
}

export const makeCard = async (
  world: BenchWorld,
  made: { projectId: string; boardId: string },
): Promise<string> =>
  String(
    (
      await world.call('POST', `/api/v1/board/boards/${made.boardId}/tasks`, {
        title: 'Card',
        project_id: made.projectId,
      })
    )['id'],
  );
