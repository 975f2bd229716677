import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BoardService } from '../../features/boards/index.js';
import type { BuildService } from '../../features/builds/index.js';
import type { ProjectService } from '../../features/projects/index.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import type { Db } from '../../platform/database/database.js';
import { seedPastBuilds } from './past-builds.js';

export interface BuildDemo {
  taskId: string;
  ref: string;
  projectId: string;
  /** Path of the repository on this machine. */
  repository: string;
}

interface DemoDeps {
  db: Db;
  clock: Clock;
  boards: BoardService;
  projects: ProjectService;
  /** Undefined where desks cannot be reached on loopback. */
  demoDesk: object | undefined;
  builds: Pick<BuildService, 'setPolicy'>;
  config: { repositoriesDir: string };
}

const FILES: Record<string, string> = {
  'README.md': '# Lighthouse\n\nA lamp that turns, and a keeper who sees to it.\n',
  'package.json': `${JSON.stringify({ name: 'lighthouse', private: true, type: 'module', scripts: { start: 'node src/lamp.js' } }, null, 2)}\n`,
  'src/lamp.js':
    "import { nextBearing } from './keeper.js';\n\nlet bearing = 0;\nsetInterval(() => {\n  bearing = nextBearing(bearing);\n  process.stdout.write(`\\rshining at ${bearing} degrees `);\n}, 500);\n",
  'src/keeper.js':
    '/** The lamp turns once in twelve steps. */\nexport const nextBearing = (bearing) => (bearing + 30) % 360;\n',
};

/** Creates a small repository and a card about it, ready to be built on the loopback desk. */
export async function seedBuildDemo(app: DemoDeps, admin: MemberCaller): Promise<BuildDemo | undefined> {
  if (!app.demoDesk) return undefined;
  const [board] = (await app.boards.listBoards(admin, { page: 1, per_page: 1 })).boards;
  const made = await makeProject(app, admin).catch(() => undefined);
  if (!board || !made) return undefined;
  const { projectId, repository } = made;
  await seedPastBuilds(app, admin, projectId);
  const { id, ref } = await app.boards.createCard(admin, board.board_id, {
    title: 'Say in the README how the lamp is lit',
    task_type: 'docs',
    project_id: projectId,
    instructions:
      'Newcomers ask how to start it. Add a short section to README.md that says how the lamp in src/lamp.js is lit and put out.',
  });
  await seedCheckedCard(app, admin, board.board_id, projectId);
  // The most recently changed card is suggested for the first build.
  await app.boards.changeCard(admin, id, { priority: 'high' }, { ifMatch: undefined, receiptOnly: true });
  return { taskId: id, ref, projectId, repository };
}

const KEEPER = 'Keeper: whoever is awake.';

/** Creates a card whose check fails on the first attempt and passes on the automatic second one. */
async function seedCheckedCard(
  { boards, builds }: DemoDeps,
  admin: MemberCaller,
  boardId: string,
  project_id: string,
): Promise<void> {
  await builds.setPolicy(admin, { rework: { on_gate: true } });
  const command = `grep -qx '${KEEPER}' README.md || { echo 'README.md must say: ${KEEPER}'; exit 1; }`;
  const agent_context: object = { checks: [{ name: 'the keeper is named', command, minutes: 1 }] };
  await boards.createCard(admin, boardId, {
    title: 'Say in the README who keeps the lamp',
    task_type: 'docs',
    project_id,
    instructions:
      'Whoever comes at night wants to know whom to wake. A check of this card says what has to stand there.',
    agent_context,
  });
}

async function makeProject(
  { projects, config }: DemoDeps,
  admin: MemberCaller,
): Promise<Pick<BuildDemo, 'projectId' | 'repository'>> {
  const folder = join(config.repositoriesDir, String(admin.brandId), 'lighthouse');
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await projects.makeRepository(folder, 'A lighthouse and its keeper');
  const { project_id } = await projects.createProject(admin, {
    name: 'Lighthouse',
    repository: { url: folder },
  });
  return { projectId: project_id, repository: join(folder, '.git') };
}
