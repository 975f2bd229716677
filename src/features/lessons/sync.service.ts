import type { Db } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { recordAudit } from '../../services/audit.js';
import type { Jobs } from '../../services/jobs.js';
import type { ProjectService } from '../projects/projects.service.js';
import { type LessonDraft, lessonIdOf, readLessonFile } from './lesson-files.js';
import { type LessonWrite, lessonRows, type StoredLesson } from './lesson-rows.js';
import { projectNotFound } from './lessons.errors.js';
import type { SyncAnswer, SyncRequest } from './lessons.schemas.js';
import { lessonStore } from './lessons.store.js';
import type { SimilarityService } from './similarity.service.js';

export interface SyncDeps {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  projects: ProjectService;
  similarity: SimilarityService;
}

type Written = SyncAnswer['written'][number];

const FULLY_COMPARED = 25;

/** `entries:sync`: lessons that a caller pushes instead of the repository. */
export function createSyncService({ db, clock, jobs, projects, similarity }: SyncDeps) {
  async function sync(caller: MemberCaller, request: SyncRequest): Promise<SyncAnswer> {
    const { brandId } = caller;
    const project = await projects.findProject(brandId, request.project_id.toLowerCase());
    if (!project) throw projectNotFound();
    const existing = await similarity.listComparable(brandId);
    const sent = readFiles(request.files);
    const outcome = await write(caller, project.project_id, sent, request.complete ?? false);
    const answer: SyncAnswer = {
      written: outcome.written,
      removed: outcome.removed,
      warnings: [...sent.warnings, ...outcome.warnings],
    };
    const checked = outcome.drafts
      .filter(({ position, change }) => position < FULLY_COMPARED && change !== 'unchanged')
      .map(({ draft }) => ({ id: draft.id, projectId: project.project_id, texts: draft.texts }));
    const duplicates = await similarity.findDuplicates(brandId, existing, checked);
    for (const [lesson, candidates] of duplicates) {
      const written = answer.written.find(({ id }) => id === lesson.id);
      if (written && candidates.length > 0) written.possible_duplicate_of = candidates;
    }
    if (request.files.length > FULLY_COMPARED) answer.duplicate_check = 'truncated';
    return answer;
  }

  async function write(caller: MemberCaller, projectId: string, sent: SentFiles, complete: boolean) {
    const { brandId } = caller;
    return inTransaction(db, async (tx) => {
      const rows = lessonRows(tx, brandId, projectId);
      await rows.lockProject();
      const stored = new Map((await rows.load()).map((lesson) => [lesson.path, lesson]));
      const held = await lessonStore(tx, brandId).listHeldFiles(projectId, [...sent.paths]);
      const warnings = [...held]
        .filter((path) => lessonIdOf(path) !== undefined)
        .sort()
        .map((path) => `${path}: the repository holds this file, so it is read from there`);
      const drafts = sent.drafts
        .filter(({ draft }) => !held.has(draft.path))
        .map((item) => ({ ...item, change: changeOf(stored.get(item.draft.path), item.draft) }));
      const changed = drafts.filter(({ change }) => change !== 'unchanged');
      await rows.save(
        changed.map(({ draft }) => asWrite(stored.get(draft.path), draft)),
        clock.now(),
      );
      const gone = complete
        ? [...stored.values()].filter((lesson) => lesson.origin === 'pushed' && !sent.paths.has(lesson.path))
        : [];
      await rows.remove(gone.map((lesson) => lesson.no));
      if (changed.length + gone.length > 0) {
        await rows.settleAnchors();
        await rows.settleStaleness();
        await rows.bumpVersion();
        await jobs.trigger(tx, 'lesson-embed');
        await recordAudit(tx, {
          brandId,
          actor: caller,
          action: 'lessons.synced',
          subject: `project:${projectId}`,
          details: { written: changed.length, removed: gone.length },
          at: clock.now(),
        });
      }
      const present = new Map((await rows.load()).map((lesson) => [lesson.path, lesson.no]));
      const numbers = drafts.flatMap(({ draft }) => present.get(draft.path) ?? []);
      return {
        drafts,
        written: drafts.map(({ draft, change }): Written => ({ id: draft.id, path: draft.path, change })),
        removed: gone.map((lesson) => lesson.id).sort(),
        warnings: [...warnings, ...(await rows.unresolvedAnchors(numbers))],
      };
    });
  }

  return { sync };
}

interface SentFiles {
  drafts: { draft: LessonDraft; position: number }[];
  /** Every path that was sent, readable or not. */
  paths: Set<string>;
  warnings: string[];
}

function readFiles(files: SyncRequest['files']): SentFiles {
  const drafts = new Map<string, { draft: LessonDraft; position: number }>();
  const paths = new Set<string>();
  const warnings: string[] = [];
  files.forEach(({ path, content }, position) => {
    if (paths.has(path)) warnings.push(`${path}: sent more than once, the last one counts`);
    paths.add(path);
    const reading = readLessonFile(path, content);
    warnings.push(...reading.warnings);
    if (reading.draft) drafts.set(path, { draft: reading.draft, position });
  });
  return { drafts: [...drafts.values()], paths, warnings };
}

function changeOf(stored: StoredLesson | undefined, draft: LessonDraft): Written['change'] {
  if (!stored) return 'created';
  return stored.contentHash === draft.contentHash && stored.origin === 'pushed' ? 'unchanged' : 'updated';
}

function asWrite(stored: StoredLesson | undefined, draft: LessonDraft): LessonWrite {
  const anchors = draft.anchors.map(({ written, anchor }) => {
    const before = stored?.anchors.find((candidate) => candidate.written === written);
    return before ?? { ...anchor, written, nodeNo: null };
  });
  return { no: stored?.no ?? null, origin: 'pushed', draft, anchors };
}
