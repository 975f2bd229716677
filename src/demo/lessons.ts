import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LessonService } from '../features/lessons/index.js';
import type { ProjectService } from '../features/projects/index.js';
import type { MemberCaller } from '../kernel/access.js';
import { bundledFiles, ownLessons } from './lesson-files.js';

export interface LessonsDemo {
  projectId: string;
  /** A path that has lessons near it, for the line that is printed. */
  path: string;
}

interface DemoDeps {
  projects: ProjectService;
  lessons: LessonService;
  config: { repositoriesDir: string };
}

/**
 * Guildhall's own code with lessons about it; where its history is missing or git may not read it, a small repository made
 * on the spot. Undefined on a machine without git, which has no use for either.
 */
export async function seedLessonsDemo(
  app: DemoDeps,
  admin: MemberCaller,
  root = process.cwd(),
): Promise<LessonsDemo | undefined> {
  const home = join(app.config.repositoriesDir, String(admin.brandId));
  await mkdir(home, { recursive: true });
  const own = (await isGuildhall(root))
    ? await attempt(() => showOwnCode(app, admin, root, home))
    : undefined;
  return own ?? (await attempt(() => showBundledCode(app, admin, home)));
}

const attempt = <T>(work: () => Promise<T>): Promise<T | undefined> => work().catch(() => undefined);

async function showOwnCode(
  app: DemoDeps,
  admin: MemberCaller,
  root: string,
  home: string,
): Promise<LessonsDemo> {
  const folder = join(home, 'guildhall.git');
  await app.projects.copyRepository(root, folder);
  const projectId = await attach(app, admin, 'Guildhall', folder);
  await app.lessons.sync(admin, { project_id: projectId, files: ownLessons });
  return { projectId, path: 'src/features/projects/git/git-program.ts' };
}

async function showBundledCode(app: DemoDeps, admin: MemberCaller, home: string): Promise<LessonsDemo> {
  const folder = join(home, 'greeter');
  for (const [path, content] of Object.entries(bundledFiles)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await app.projects.makeRepository(folder, 'A greeter and what we learned about it');
  return { projectId: await attach(app, admin, 'Greeter', folder), path: 'src/greeter.ts' };
}

async function attach(
  { projects }: DemoDeps,
  admin: MemberCaller,
  name: string,
  url: string,
): Promise<string> {
  return (await projects.createProject(admin, { name, repository: { url } })).project_id;
}

/** Only a checkout of our own, with commits, is worth showing. */
async function isGuildhall(root: string): Promise<boolean> {
  const name = await readFile(join(root, 'package.json'), 'utf8').then(
    (text) => (JSON.parse(text) as { name?: string }).name,
    () => undefined,
  );
  const hasHead = await stat(join(root, '.git', 'HEAD')).then(
    () => true,
    () => false,
  );
  return name === 'guildhall' && hasHead;
}
