import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { MemberCaller } from '../../kernel/access.js';
import type { ProjectService } from '../projects/projects.service.js';
import { bundledFiles, ownLessons } from './lessons.demo-files.js';
import type { LessonService } from './lessons.service.js';

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

/** Guildhall's own code with lessons about it; where its history is missing, a small repository made on the spot. */
export async function seedLessonsDemo(
  app: DemoDeps,
  admin: MemberCaller,
  root = process.cwd(),
): Promise<LessonsDemo> {
  const { projects } = app;
  const home = join(app.config.repositoriesDir, String(admin.brandId));
  await mkdir(home, { recursive: true });
  const hasHistory = await isGuildhall(root);
  const folder = join(home, hasHistory ? 'guildhall.git' : 'greeter');
  if (hasHistory) await projects.copyRepository(root, folder);
  else {
    for (const [path, content] of Object.entries(bundledFiles)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await projects.makeRepository(folder, 'A greeter and what we learned about it');
  }
  const project = await projects.createProject(admin, {
    name: hasHistory ? 'Guildhall' : 'Greeter',
    repository: { url: folder },
  });
  if (hasHistory) await app.lessons.sync(admin, { project_id: project.project_id, files: ownLessons });
  return {
    projectId: project.project_id,
    path: hasHistory ? 'src/features/projects/git/git-program.ts' : 'src/greeter.ts',
  };
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
