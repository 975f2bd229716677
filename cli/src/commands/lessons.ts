import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundLesson, Lesson, LessonsNear } from '../../../client/src/index.js';
import { pathInCheckout } from '../checkout.js';
import type { Call, Group } from '../command.js';
import { Failure, misuse } from '../failure.js';
import { collect, findProjectId, getProjectId } from '../find.js';
import { readPiped, readTextFile } from '../input.js';
import { given } from '../options.js';

const PROJECT: [string, string] = ['--project <project>', "The project, by name or id; else the checkout's"];
/** The most files in one request, except with --complete, which must not be split. */
const FILES_A_PUSH = 200;
const MOST_FILES = 5000;

const listColumns = [
  { title: 'type', of: (lesson: Lesson) => lesson.type },
  { title: 'path', of: (lesson: Lesson) => lesson.path },
  { title: 'title', of: (lesson: Lesson) => lesson.title },
  { title: 'stale', of: (lesson: Lesson) => lesson.stale_reason ?? (lesson.stale ? 'stale' : '') },
];

const nearColumns = [
  { title: 'type', of: (lesson: LessonsNear['entries'][number]) => lesson.type },
  { title: 'path', of: (lesson: LessonsNear['entries'][number]) => lesson.path },
  { title: 'steps', of: (lesson: LessonsNear['entries'][number]) => lesson.hops },
  { title: 'lesson', of: (lesson: LessonsNear['entries'][number]) => lesson.body },
];

/** Outside a checkout, with `--project`, the path is used as typed. */
function placeOf(call: Call, path: string): string {
  const checkout = call.checkout();
  return checkout ? pathInCheckout(checkout, call.folder, path) : path;
}

const DEGRADED: Record<string, string> = {
  no_ready_index: 'The code is not indexed yet, so only lessons anchored right there are shown.',
  code_index_unavailable: 'The code index is away, so only lessons anchored right there are shown.',
  memory_unavailable: 'Lessons cannot be read just now.',
};

function showNear(call: Call, near: LessonsNear): void {
  const { out } = call;
  if (near.degraded) out.note(DEGRADED[near.degraded] ?? near.degraded);
  if (!out.isTerminal || near.entries.length === 0)
    out.list(near.entries, nearColumns, 'No lessons near there.');
  else
    for (const { type, path, body, hops, stale, stale_reason } of near.entries) {
      const away = hops === 0 ? 'right there' : `${hops} ${hops === 1 ? 'step' : 'steps'} away`;
      out.record({}, [[type, `${path} (${away})${stale ? ` STALE: ${stale_reason ?? ''}` : ''}`]], body);
      out.text('\n');
    }
}

function readLessonFiles(folder: string, prefix: string): { path: string; content: string }[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isDirectory()) return readLessonFiles(join(folder, entry.name), `${prefix}${entry.name}/`);
      if (!entry.isFile() || !entry.name.endsWith('.md')) return [];
      return [{ path: `${prefix}${entry.name}`, content: readTextFile(join(folder, entry.name)) }];
    });
}

export const lessons: Group = {
  name: 'lessons',
  about: 'Lessons near code',
  commands: [
    {
      use: 'list',
      about: 'List the lessons of the project.',
      examples: ['guildhall lessons list', 'guildhall lessons list --stale'],
      options: [
        PROJECT,
        ['--type <type>', 'Only lessons of this type'],
        ['--stale', 'Only lessons whose code has changed or gone'],
      ],
      async run(call) {
        const { options, signal } = call;
        const project_id = await getProjectId(call);
        const fields = given({
          project_id,
          type: options.text('type'),
          stale: options.flag('stale') || undefined,
        });
        call.out.list(
          await collect(call.service().client.iterate('listLessons', fields, { signal })),
          listColumns,
          'No lessons yet.',
        );
      },
    },
    {
      use: 'near <path...>',
      about:
        'Show the lessons on files and on nearby code, nearest first. Paths are relative to the current folder.',
      examples: [
        'guildhall lessons near src/billing.ts',
        'guildhall lessons near "src/billing.ts#Invoice.total" --depth 1',
      ],
      options: [
        PROJECT,
        ['--depth <n>', 'How many steps to walk; 2 unless said'],
        ['--limit <n>', 'Maximum number'],
      ],
      async run(call) {
        const paths = call.args.map((path) => placeOf(call, path));
        const fields = {
          project_id: await getProjectId(call),
          paths,
          depth: call.options.whole('depth'),
          limit: call.options.whole('limit'),
        };
        const near = await call.service().client.findLessonsNear(given(fields), { signal: call.signal });
        if (call.out.isData) call.out.data(near.entries);
        else showNear(call, near);
      },
    },
    {
      use: 'search [path]',
      about: 'Find the lessons anchored at a path, in it or around it; with --stale also without a path.',
      examples: [
        'guildhall lessons search src/billing.ts --words rounding',
        'guildhall lessons search --stale',
      ],
      options: [
        PROJECT,
        ['--words <words>', 'Only lessons with these words'],
        ['--type <type>', 'Only lessons of this type'],
        ['--stale', 'Only lessons whose code has changed or gone'],
        ['--limit <n>', 'Maximum number'],
      ],
      async run(call) {
        const { options, args, signal, out } = call;
        const stale = options.flag('stale') || undefined;
        if (args[0] === undefined && !stale)
          throw misuse('Where?', 'Name a path of the checkout, or say --stale.');
        const fields = given({
          anchor: args[0] === undefined ? undefined : placeOf(call, args[0]),
          project_id: await findProjectId(call),
          q: options.text('words'),
          type: options.text('type'),
          stale,
          limit: options.whole('limit'),
        });
        const { items, warnings } = await call.service().client.searchLessons(fields, { signal });
        for (const warning of warnings) out.note(warning);
        out.list<FoundLesson>(items, listColumns, 'No lessons there.');
      },
    },
    {
      use: 'similar [text]',
      about: 'Find lessons that say nearly the same as one you think of writing; the text can be piped in.',
      examples: [
        'guildhall lessons similar "Invoices are rounded half up."',
        'guildhall lessons similar - < lessons/billing/rounding.md',
      ],
      options: [
        ['--type <type>', 'Compare only with lessons of this type'],
        ['--threshold <n>', 'The least similarity that counts; 0.9 unless said'],
      ],
      async run({ args, options, out, service, signal }) {
        const text = args[0] === undefined || args[0] === '-' ? await readPiped(signal) : args[0];
        const threshold = options.text('threshold');
        const fields = given({
          text,
          type: options.text('type'),
          threshold: threshold === undefined ? undefined : Number(threshold),
        });
        const { matches, degraded } = await service().client.findSimilarLessons(fields, { signal });
        if (degraded) out.note('Texts cannot be compared just now.');
        out.list(
          matches,
          [
            { title: 'similarity', of: (match) => match.similarity.toFixed(3) },
            { title: 'type', of: (match) => match.type },
            { title: 'path', of: (match) => match.path },
          ],
          'Nothing says that yet.',
        );
      },
    },
    {
      use: 'impact <base> <head>',
      about: 'Show the lessons that a merge would make stale, move or touch.',
      examples: ['guildhall lessons impact main feature/rounding'],
      options: [PROJECT],
      async run(call) {
        const [base = '', head = ''] = call.args;
        const project_id = await getProjectId(call);
        const impact = await call
          .service()
          .client.getLessonsImpact({ project_id, base, head }, { signal: call.signal });
        if (call.out.isData) return call.out.data(impact);
        const rows = (['stale', 'moved', 'touched'] as const).flatMap((effect) =>
          impact[effect].map(({ path, type }) => ({ effect, path, type })),
        );
        call.out.list(
          rows,
          [
            { title: 'effect', of: (row) => row.effect },
            { title: 'type', of: (row) => row.type },
            { title: 'path', of: (row) => row.path },
          ],
          'No lesson is touched.',
        );
      },
    },
    {
      use: 'sync [folder]',
      about: 'Push the lesson files of the checkout (lessons/**.md) to the project.',
      examples: ['guildhall lessons sync', 'guildhall lessons sync --complete'],
      options: [
        PROJECT,
        ['--complete', 'These are all of them: pushed lessons that are not here are removed'],
      ],
      async run(call) {
        const { signal, out, options } = call;
        const root = call.checkout()?.root ?? call.folder;
        const folder = call.args[0] ?? join(root, 'lessons');
        let files: { path: string; content: string }[];
        try {
          files = readLessonFiles(folder, 'lessons/');
        } catch (error) {
          if (error instanceof Failure) throw error;
          throw misuse(
            `There are no lessons in ${folder}`,
            'Lessons are Markdown files under lessons/ at the root of the checkout.',
          );
        }
        const complete = options.flag('complete');
        if (files.length > MOST_FILES)
          throw misuse(`More than ${MOST_FILES} lesson files are not pushed at once`);
        const project_id = await getProjectId(call);
        const progress = out.progress('Pushing lessons');
        const size = complete ? MOST_FILES : FILES_A_PUSH;
        const result = { written: [] as object[], removed: [] as string[], warnings: [] as string[] };
        try {
          for (let at = 0; at === 0 || at < files.length; at += size) {
            progress.update(at, files.length);
            const batch = { project_id, files: files.slice(at, at + size), complete };
            const { written, removed, warnings } = await call.service().client.syncLessons(batch, { signal });
            result.written.push(...written);
            result.removed.push(...removed);
            result.warnings.push(...warnings);
          }
        } finally {
          progress.end();
        }
        for (const warning of result.warnings) out.note(`warning: ${warning}`);
        out.done(result, `${result.written.length} lessons pushed, ${result.removed.length} removed.`);
      },
    },
  ],
};
