import type { BenchRow, BenchWorld } from '../row.js';
import { checkToken } from './identity.js';

const LESSONS = 200;

interface Made extends Record<string, unknown> {
  projectId: string;
}

/** Creates a project without a repository and pushes lessons to it, for reads by anchor. */
async function setup(world: BenchWorld): Promise<Made> {
  const { project_id: projectId } = await world.call('POST', '/api/v1/projects', { name: 'Bench' });
  const files = Array.from({ length: LESSONS }, (_, number) => ({
    path: `lessons/bench/lesson-${number}.md`,
    content: `---\ntype: rule\nanchors: ["src/area${number % 10}/module${number}.ts", "src/area${number % 10}/"]\n---\nLesson ${number}: ${'words of a lesson. '.repeat(10)}\n`,
  }));
  for (let at = 0; at < files.length; at += 50)
    await world.call('POST', '/api/v1/memory/entries:sync', {
      project_id: projectId,
      files: files.slice(at, at + 50),
    });
  return { projectId: String(projectId) };
}

export const rows: BenchRow[] = [
  {
    name: 'lessons-search',
    kind: 'read',
    setup,
    request: (world, made) => ({
      path: `/api/v1/memory/entries/search?project_id=${(made as Made).projectId}&anchor=src/area3/module13.ts`,
      headers: world.bearer,
    }),
    floor: (world, made) => ({
      statements: [
        checkToken(world),
        { text: 'select project_id from projects where project_id = $1', values: [made['projectId']] },
        {
          text: `
            select l.*, array(select a.path from lesson_anchors a where a.lesson_no = l.lesson_no order by a.position) as anchors
            from lessons l where l.project_id = $1 and l.lesson_no in (
              select lesson_no from lesson_anchors where brand_id = $2 and path = any($3::text[]))
            order by l.pinned desc, l.lesson_id limit 20`,
          values: [made['projectId'], world.brandId, ['src/area3/module13.ts', 'src/area3/', 'src/', '/']],
        },
      ],
    }),
  },
];
