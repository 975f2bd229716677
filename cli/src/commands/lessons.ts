import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundLesson, Lesson, LessonsNear } from '../../../client/src/index.js';
import { pathInCheckout } from '../checkout.js';
import type { Call, Group } from '../command.js';
import { Failure, misuse } from '../failure.js';
import { collect, findProjectId, getProjectId } from '../find.js';
import { readPiped, readTextFile } from '../input.js';
import { given } from '../options.js';

const PROJECT: [string, string] = [
  '--project <project>',
  'The project, by name or id; default: the project of the checkout',
];
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
  { title: 'distance', of: (lesson: LessonsNear['entries'][number]) => lesson.hops },
  { title: 'lesson', of: (lesson: LessonsNear['entries'][number]) => lesson.body },
];

/** Outside a checkout, with `--project`, the path is used as typed. */
function placeOf(call: Call, path: string): string {
  const checkout = call.checkout();
  return checkout ? pathInCheckout(checkout, call.folder, path) : path;
}

const DEGRADED: Record<string, string> = {
  no_ready_index: 'The code is not indexed yet. Only lessons anchored at these paths are shown.',
  code_index_unavailable: 'The code index is unavailable. Only lessons anchored at these paths are shown.',
  memory_unavailable: 'Lessons are temporarily unavailable.',
};

function showNear(call: Call, near: LessonsNear): void {
  const { out } = call;
  if (near.degraded) out.note(DEGRADED[near.degraded] ?? near.degraded);
  if (!out.isTerminal || near.entries.length === 0)
    out.list(near.entries, nearColumns, 'No lessons found near these paths.');
  else
    for (const { type, path, body, hops, stale, stale_reason } of near.entries) {
      const away = hops === 0 ? 'exact match' : `${hops} ${hops === 1 ? 'step' : 'steps'} away`;
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
  about: 'Find and sync lessons',
  commands: [
    {
      use: 'list',
      about: 'List the lessons of the project.',
      examples: ['guildhall lessons list', 'guildhall lessons list --stale'],
      options: [
        PROJECT,
        ['--type <type>', 'Only lessons of this type'],
        ['--stale', 'Only lessons whose code was changed or removed'],
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
        'Show the lessons for files and related code, nearest first. Paths are relative to the current folder.',
      examples: [
        'guildhall lessons near src/billing.ts',
        'guildhall lessons near "src/billing.ts#Invoice.total" --depth 1',
      ],
      options: [
        PROJECT,
        ['--depth <n>', 'Maximum distance in the code graph; default: 2'],
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
      about: 'Search the lessons anchored at, inside or around a path. The path is optional with --stale.',
      examples: [
        'guildhall lessons search src/billing.ts --words rounding',
        'guildhall lessons search --stale',
      ],
      options: [
        PROJECT,
        ['--words <words>', 'Only lessons that contain these words'],
        ['--type <type>', 'Only lessons of this type'],
        ['--stale', 'Only lessons whose code was changed or removed'],
        ['--limit <n>', 'Maximum number'],
      ],
      async run(call) {
        const { options, args, signal, out } = call;
        const stale = options.flag('stale') || undefined;
        if (args[0] === undefined && !stale)
          throw misuse('Missing path', 'Pass a path in the checkout, or --stale.');
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
        out.list<FoundLesson>(items, listColumns, 'No lessons found.');
      },
    },
    {
      use: 'similar [text]',
      about: 'Find lessons similar to a text. Without text, reads it from standard input.',
      examples: [
        'guildhall lessons similar "Invoices are rounded half up."',
        'guildhall lessons similar - < lessons/billing/rounding.md',
      ],
      options: [
        ['--type <type>', 'Only lessons of this type'],
        ['--threshold <n>', 'Minimum similarity; default: 0.9'],
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
        if (degraded) out.note('Text comparison is temporarily unavailable.');
        out.list(
          matches,
          [
            { title: 'similarity', of: (match) => match.similarity.toFixed(3) },
            { title: 'type', of: (match) => match.type },
            { title: 'path', of: (match) => match.path },
          ],
          'No similar lessons found.',
        );
      },
    },
    {
      use: 'impact <base> <head>',
      about: 'Show the lessons that a merge would make stale, move or affect.',
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
          'No lessons affected.',
        );
      },
    },
    {
      use: 'sync [folder]',
      about: 'Push the lesson files in the checkout (lessons/**.md) to the project.',
      examples: ['guildhall lessons sync', 'guildhall lessons sync --complete'],
      options: [PROJECT, ['--complete', 'Also remove pushed lessons that have no file in the folder']],
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
            `No lessons in ${folder}`,
            'Add lessons as Markdown files in lessons/ at the root of the checkout.',
          );
        }
        const complete = options.flag('complete');
        if (files.length > MOST_FILES)
          throw misuse(`Cannot push more than ${MOST_FILES} lesson files at once`);
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
        out.done(result, `Pushed ${result.written.length} lessons, removed ${result.removed.length}.`);
      },
    },
  ],
};
