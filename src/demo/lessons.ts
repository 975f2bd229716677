import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LessonService } from '../features/lessons/index.js';
import type { ProjectService } from '../features/projects/index.js';
import type { MemberCaller } from '../kernel/access.js';

export interface LessonsDemo {
  projectId: string;
  /** A path with lessons near it, for the example printed at startup. */
  path: string;
}

interface DemoDeps {
  projects: ProjectService;
  lessons: LessonService;
  config: { repositoriesDir: string };
}

/**
 * Adds Guildhall's own repository with lessons, or a small bundled one when the history is missing or
 * unreadable. Undefined without git.
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

/** Use only a checkout of Guildhall with commits. */
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

function lessonFile(
  fields: { type: string; title: string; anchors: string[]; pinned?: boolean },
  body: string,
): string {
  const head = [
    `type: ${fields.type}`,
    `title: ${JSON.stringify(fields.title)}`,
    `anchors: ${JSON.stringify(fields.anchors)}`,
    ...(fields.pinned ? ['pinned: true'] : []),
    'author: Ada Lindqvist',
  ];
  return `---\n${head.join('\n')}\n---\n\n${body}\n`;
}

const ownLessons: { path: string; content: string }[] = [
  {
    path: 'lessons/git/nothing-is-run.md',
    content: lessonFile(
      {
        type: 'rule',
        title: 'Nothing of a fetched repository is run',
        anchors: ['src/features/projects/git/git-program.ts#runGit', 'src/features/projects/git/'],
        pinned: true,
      },
      'Every git command goes through `runGit`: hooks, prompts, submodules and unknown protocols are off there and nowhere else. A second way to start git would be a hole.',
    ),
  },
  {
    path: 'lessons/git/exit-codes.md',
    content: lessonFile(
      {
        type: 'gotcha',
        title: 'An empty diff is not always no change',
        anchors: ['src/features/projects/git/tree.ts'],
      },
      'git answers nothing when it fails, too. Check the exit code before reading silence as "nothing changed": otherwise a force push empties the index.',
    ),
  },
  {
    path: 'lessons/index/ids-are-given-once.md',
    content: lessonFile(
      {
        type: 'decision',
        title: 'Node ids are given once',
        anchors: ['src/code/graph/', 'src/code/graph/matching.ts#matchSymbols'],
      },
      'An id is never derived from content or path. A match that is not unique on both sides is no match: better a new id than somebody else’s lessons.',
    ),
  },
  {
    path: 'lessons/kernel/ask-the-clock.md',
    content: lessonFile(
      { type: 'rule', title: 'Now comes from the clock', anchors: ['src/kernel/clock.ts'] },
      'Rules and SQL take the time as a parameter from the clock. `now()` in a statement cannot be moved by a test.',
    ),
  },
  {
    path: 'lessons/http/one-declaration.md',
    content: lessonFile(
      {
        type: 'decision',
        title: 'One declaration per endpoint',
        anchors: ['src/platform/http/declaration/route.ts#route', 'src/platform/http/'],
      },
      'Access, validation, the order of checks and the documentation come from the declaration. What is checked inside a handler is missing from all of them.',
    ),
  },
  {
    path: 'lessons/database/one-transaction.md',
    content: lessonFile(
      {
        type: 'rule',
        title: 'What belongs together is written together',
        anchors: ['src/platform/database/connection/transaction.ts#inTransaction', 'src/platform/database/'],
        pinned: true,
      },
      'A change and what is told of it (the activity entry, the message to a webhook) are written in **one** transaction:\n\n- a reader never sees one without the other;\n- a crash in between leaves neither.\n\nTell the outside only after the commit.',
    ),
  },
  {
    path: 'lessons/index/hubs.md',
    content: lessonFile(
      {
        type: 'gotcha',
        title: 'A hub is shown and not walked past',
        anchors: ['src/features/lessons/near/walk.ts#walkCode'],
      },
      'Half of the code imports the logger. Walking past such a place would bring every lesson near every file, so a node with more links than the cap ends the walk there.',
    ),
  },
  {
    path: 'lessons/kernel/long-loops.md',
    content: lessonFile(
      {
        type: 'rule',
        title: 'Long loops give way',
        anchors: ['src/kernel/async.ts#takeTurns'],
      },
      'Whatever walks over all lessons, nodes or rows awaits `turn()` in its loop. One request that computes for a second is a second in which nobody else is answered.',
    ),
  },
  {
    path: 'lessons/client/streams.md',
    content: lessonFile(
      {
        type: 'decision',
        title: 'A broken stream is taken up where it was',
        anchors: ['client/src/core/stream.ts#followEvents'],
      },
      'The client sends the id of the last event it has seen. The service answers from there, so nobody has to think about what was missed.',
    ),
  },
  {
    path: 'lessons/pages/dialogs.md',
    content: lessonFile(
      {
        type: 'convention',
        title: "Dialogs are the browser's own",
        anchors: ['dashboard/src/ui/dialog.tsx#Dialog', 'dashboard/src/ui/'],
      },
      'The native element keeps the focus inside, closes with Escape and gives the focus back. Nothing of it is written by hand again.',
    ),
  },
];

const bundledFiles: Record<string, string> = {
  'package.json': '{ "name": "greeter", "type": "module" }\n',
  'src/greeter.ts': `import { formatName } from './names.js';

export class Greeter {
  greet(name: string): string {
    return \`Hello, \${formatName(name)}!\`;
  }
}
`,
  'src/names.ts': `export function formatName(name: string): string {
  return name.trim().replace(/\\s+/g, ' ');
}
`,
  'lessons/names/keep-the-case.md': lessonFile(
    { type: 'gotcha', title: 'Names keep their case', anchors: ['src/names.ts#formatName'], pinned: true },
    'Do not capitalise names: van Dyck, bell hooks and McArthur all know better how they are written.',
  ),
  'lessons/names/one-place.md': lessonFile(
    { type: 'rule', title: 'Names are formatted in one place', anchors: ['src/'] },
    'Whatever shows a name calls `formatName`; nothing trims on its own.',
  ),
};
