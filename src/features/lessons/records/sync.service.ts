import type { MemberCaller } from '../../../kernel/access.js';
import { yieldRegularly } from '../../../kernel/async.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { WebhookOutbox } from '../../../platform/outbox/outbox.js';
import type { ProjectService } from '../../projects/index.js';
import { type LessonDraft, lessonIdOf, readLessonFile } from '../files/lesson-file.js';
import type { SyncAnswer, SyncRequest } from '../lessons.schemas.js';
import type { SimilarityService } from '../similar/similarity.service.js';
import {
  keepAnchors,
  type LessonWrite,
  lessonRecords,
  type StoredLesson,
  staleMessages,
} from './lesson-records.store.js';
import { lessonStore } from './lessons.store.js';

type Written = SyncAnswer['written'][number];

const FULLY_COMPARED = 25;

/** Writes lessons that a caller pushes instead of committing them to the repository. */
export function createSyncService({
  db,
  clock,
  jobs,
  outbox,
  projects,
  similarity,
}: {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  outbox: Pick<WebhookOutbox, 'record'>;
  projects: ProjectService;
  similarity: SimilarityService;
}) {
  async function sync(caller: MemberCaller, request: SyncRequest): Promise<SyncAnswer> {
    const { brandId } = caller;
    const project = await projects.getProjectRow(brandId, request.project_id);
    const existing = await similarity.listComparable(brandId);
    const sent = await readFiles(request.files);
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
      const records = lessonRecords(tx, brandId, projectId);
      await records.lockProject();
      const stored = new Map((await records.load([...sent.paths])).map((lesson) => [lesson.path, lesson]));
      const held = await lessonStore(tx, brandId).listHeldFiles(projectId, [...sent.paths]);
      const warnings = [...held]
        .filter((path) => lessonIdOf(path) !== undefined)
        .sort()
        .map((path) => `${path}: the repository holds this file, so it is read from there`);
      const drafts = sent.drafts
        .filter(({ draft }) => !held.has(draft.path))
        .map((item) => ({ ...item, change: changeOf(stored.get(item.draft.path), item.draft) }));
      const changed = drafts.filter(({ change }) => change !== 'unchanged');
      const numbers = await records.save(await asWrites(stored, changed), clock.now());
      const gone = complete
        ? (await records.listPushed()).filter((lesson) => !sent.paths.has(lesson.path))
        : [];
      await records.remove(gone.map((lesson) => lesson.no));
      if (changed.length + gone.length > 0) {
        await records.settleAnchors();
        const stale = await records.settleStaleness();
        await outbox.record(tx, staleMessages(brandId, projectId, stale, clock.now()));
        await records.bumpVersion();
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
      const unchanged = drafts.filter(({ change }) => change === 'unchanged');
      const kept = unchanged.map(({ draft }) => stored.get(draft.path)!.no);
      return {
        drafts,
        written: drafts.map(({ draft, change }): Written => ({ id: draft.id, path: draft.path, change })),
        removed: gone.map((lesson) => lesson.id),
        warnings: [...warnings, ...(await records.unresolvedAnchors([...numbers, ...kept]))],
      };
    });
  }

  return { sync };
}

interface SentFiles {
  drafts: { draft: LessonDraft; position: number }[];
  /** Including unreadable files. */
  paths: Set<string>;
  warnings: string[];
}

async function readFiles(files: SyncRequest['files']): Promise<SentFiles> {
  const drafts = new Map<string, { draft: LessonDraft; position: number }>();
  const paths = new Set<string>();
  const warnings: string[] = [];
  const turn = yieldRegularly();
  for (const [position, { path, content }] of files.entries()) {
    if (paths.has(path)) warnings.push(`${path}: sent more than once, the last one counts`);
    paths.add(path);
    const reading = readLessonFile(path, content);
    warnings.push(...reading.warnings);
    if (reading.draft) drafts.set(path, { draft: reading.draft, position });
    await turn();
  }
  return { drafts: [...drafts.values()], paths, warnings };
}

function changeOf(stored: StoredLesson | undefined, draft: LessonDraft): Written['change'] {
  if (!stored) return 'created';
  return stored.contentHash === draft.contentHash && stored.origin === 'pushed' ? 'unchanged' : 'updated';
}

async function asWrites(
  stored: ReadonlyMap<string, StoredLesson>,
  changed: readonly { draft: LessonDraft }[],
): Promise<LessonWrite[]> {
  const writes: LessonWrite[] = [];
  const turn = yieldRegularly();
  for (const { draft } of changed) {
    const before = stored.get(draft.path);
    const anchors = keepAnchors(before?.anchors ?? [], draft);
    writes.push({ no: before?.no ?? null, origin: 'pushed', draft, anchors });
    await turn();
  }
  return writes;
}
