import { renderBlock } from '../../../kernel/code-block.js';
import { takeTurns } from '../../../kernel/event-loop.js';
import type { Log } from '../../../kernel/log.js';
import type { LessonService, NearAnswer } from '../../lessons/index.js';
import type { CodeGraph, ProjectRow, ProjectService } from '../../projects/index.js';

type Entry = NearAnswer['entries'][number];

export const LESSONS_BYTES = 8 * 1024;
const LONGEST_LESSON = 4000;
const MOST_PATHS = 500;
const PATHS_AT_ONCE = 50;
const HEADING = `## Lessons

What this team has learned about the code that the card names, and about what is near it.

`;
const MORE = 'There are more: `find_lessons_near` finds them.\n';

interface LessonDeps {
  log: Log;
  projects: Pick<ProjectService, 'findProject' | 'loadGraph'>;
  lessons: Pick<LessonService, 'findNear'>;
}

/** The section of live lessons near some paths, pinned first, the nearest after them; empty when there are none. */
export async function writeLessons(
  { log, projects, lessons }: LessonDeps,
  brandId: number,
  projectId: string | null,
  candidates: readonly string[],
): Promise<string> {
  const project = projectId === null ? undefined : await projects.findProject(brandId, projectId);
  if (!project || project.ready_index_id === null || project.repository_url === null) return '';
  try {
    const paths = await findCode(projects, project, candidates);
    const found = new Map<string, Entry>();
    for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
      const { entries } = await lessons.findNear(brandId, {
        project_id: project.project_id,
        paths: paths.slice(at, at + PATHS_AT_ONCE),
        limit: 100,
      });
      for (const entry of entries) if (!entry.stale) keepNearest(found, entry);
    }
    return renderLessons([...found.values()].sort(byWorth));
  } catch (error) {
    // A brief without lessons is better than none.
    log.warn({ err: error, project: project.project_id }, 'A brief goes without lessons');
    return '';
  }
}

/** Those of the candidates that are code, once each. */
async function findCode(
  projects: LessonDeps['projects'],
  project: ProjectRow,
  candidates: readonly string[],
): Promise<string[]> {
  const graph: CodeGraph = await projects.loadGraph(project);
  const otherTurns = takeTurns();
  const paths: string[] = [];
  for (const path of candidates) {
    await otherTurns();
    const isCode = graph.findByPath(path) !== undefined || graph.findByPath(`${path}/`) !== undefined;
    if (isCode) paths.push(path);
    if (paths.length === MOST_PATHS) break;
  }
  return paths;
}

function keepNearest(found: Map<string, Entry>, entry: Entry): void {
  const known = found.get(entry.id);
  if (!known || entry.hops < known.hops) found.set(entry.id, entry);
}

const byWorth = (one: Entry, other: Entry): number =>
  Number(other.pinned) - Number(one.pinned) || one.hops - other.hops || (one.id < other.id ? -1 : 1);

function renderLessons(entries: readonly Entry[]): string {
  if (entries.length === 0) return '';
  const pieces = [HEADING];
  let room = LESSONS_BYTES - Buffer.byteLength(HEADING) - Buffer.byteLength(MORE);
  let left = 0;
  for (const { type, body, path, pinned } of entries) {
    const text =
      body.length <= LONGEST_LESSON ? body : `${body.slice(0, LONGEST_LESSON).toWellFormed()}\n[cut]`;
    const piece = renderBlock(`${type}${pinned ? ', pinned' : ''} (${path})\n\n${text}`, '');
    const bytes = Buffer.byteLength(piece) + 1;
    if (bytes > room) {
      left += 1;
      continue;
    }
    pieces.push(piece, '\n');
    room -= bytes;
  }
  return pieces.join('') + (left > 0 ? MORE : '');
}
