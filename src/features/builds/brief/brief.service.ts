import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import { type BoardService, cardNotFound } from '../../boards/index.js';
import type { LessonService } from '../../lessons/index.js';
import type { MemoryService } from '../../memory/index.js';
import type { ProjectService } from '../../projects/index.js';
import { buildNotFound, noBriefYet } from '../builds.errors.js';
import { checkStore } from '../checks/checks.store.js';
import { BRIEF_TAIL } from '../checks/log-tail.js';
import type { CommentService, OpenThread } from '../comments/comments.service.js';
import type { BuildCommits } from '../commits/commits.service.js';
import { cameBackStore } from '../lifecycle/came-back.store.js';
import type { BriefedBuild, CameBack, WrittenBrief } from '../record/builds.parts.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { briefStore } from './brief.store.js';
import { writeChecks } from './brief-checks.js';
import { MOST_COMMENTS, writeComments } from './brief-comments.js';
import { writeFiles } from './brief-files.js';
import { writeCameBack } from './brief-forge.js';
import { writeLessons } from './brief-lessons.js';
import { writeMemories } from './brief-memories.js';
import { writeThreads } from './brief-review.js';
import { renderBrief } from './brief-text.js';
import { findNamedPaths } from './named-paths.js';

interface BriefDeps {
  db: Db;
  clock: Clock;
  log: Log;
  boards: Pick<BoardService, 'findCardToBuild' | 'listLatestComments' | 'listCardFiles'>;
  projects: Pick<ProjectService, 'findProject' | 'loadGraph'>;
  lessons: Pick<LessonService, 'findNear'>;
  memory: Pick<MemoryService, 'search' | 'recall'>;
  commits: Pick<BuildCommits, 'listChangedPaths'>;
  comments: Pick<CommentService, 'listOpenThreads'>;
}

interface Attempt {
  local: boolean;
  note: string | null;
  threads: readonly OpenThread[];
  continues: BuildRow | undefined;
  cameBack: CameBack | undefined;
}

const MOST_CHANGED_PATHS = 200;
/** How far back it is looked for what a line of attempts began with. */
const MOST_STEPS = 10;

export type BriefService = ReturnType<typeof createBriefService>;

/** What a coder is told: the card, what people said about it, and what the team and the agent know already. */
export function createBriefService(deps: BriefDeps) {
  const { db, clock, boards, commits, comments } = deps;

  const listChecks = async ({ brand_id, build_id, checking_at }: BuildRow) =>
    checking_at === null ? [] : checkStore(db, brand_id).listWithTails(build_id, BRIEF_TAIL);

  /** What it began with, or an attempt before it that has not been brought home since. */
  async function findCameBack(
    { brand_id, build_id, rework_of }: BriefedBuild,
    continues: BuildRow | undefined,
  ): Promise<CameBack | undefined> {
    if (build_id && rework_of) return cameBackStore(db, brand_id).find(build_id);
    for (let before = continues, steps = 0; before && steps < MOST_STEPS; steps += 1) {
      if (before.accepted_at !== null) return undefined;
      if (before.rework_of) return cameBackStore(db, brand_id).find(before.build_id);
      before = before.continues
        ? await buildStore(db, brand_id).find(before.continues, clock.now())
        : undefined;
    }
    return undefined;
  }

  async function write(
    brandId: number,
    taskId: string,
    { local, note, threads, continues, cameBack }: Attempt,
  ): Promise<WrittenBrief> {
    const found = await boards.findCardToBuild(brandId, taskId);
    if (!found) throw cardNotFound();
    const { card, guestWritten } = found;
    const instructions = card.instructions ?? '';
    const onCard = writeComments(await boards.listLatestComments(brandId, taskId, MOST_COMMENTS));
    const files = writeFiles(await boards.listCardFiles(brandId, taskId));
    const guestTexts = guestWritten.filter((field) => field === 'title' || field === 'instructions');
    const named = await findNamedPaths([
      ...threads.map(({ path }) => path ?? ''),
      ...(cameBack?.files ?? []),
      ...(cameBack?.comments.map(({ path }) => path ?? '') ?? []),
      card.title,
      note ?? '',
      instructions,
      ...threads.flatMap(({ said }) => said.map(({ body }) => body)),
    ]);
    const changed = continues ? await commits.listChangedPaths(continues, MOST_CHANGED_PATHS) : [];
    const paths = [...new Set([...named, ...changed])];
    const text = renderBrief({
      card: {
        ref: card.ref,
        title: card.title,
        instructions: card.instructions,
        guestWritten: guestTexts,
      },
      said: onCard.text,
      files: files.text,
      local,
      note,
      review: writeThreads(threads),
      before: continues && {
        attempt: continues.attempt,
        status: continues.status,
        reason: continues.reason,
        result: continues.result,
        hasCommits: continues.head_sha !== null,
      },
      checks: writeChecks(continues ? await listChecks(continues) : []),
      cameBack: cameBack ? writeCameBack(cameBack) : '',
      lessons: await writeLessons(deps, brandId, card.project_id, paths),
      memories: await writeMemories(
        deps,
        brandId,
        card.assignee_agent_id,
        `${card.title}\n${instructions.slice(0, 2000)}`,
      ),
    });
    // Whoever may write on a host is nobody that this workspace knows.
    const guestWords =
      guestTexts.length > 0 ||
      onCard.byGuest ||
      files.byGuest ||
      continues?.guest_words === true ||
      cameBack !== undefined;
    return { text, guestWords };
  }

  return {
    /** For a build that is about to start. */
    async writeBrief(build: BriefedBuild): Promise<WrittenBrief> {
      const continues = build.continues
        ? await buildStore(db, build.brand_id).find(build.continues, clock.now())
        : undefined;
      const threads = continues ? await comments.listOpenThreads(continues) : [];
      const { local, note } = build;
      const cameBack = await findCameBack(build, continues);
      return write(build.brand_id, build.task_id, { local, note, threads, continues, cameBack });
    },

    /** What a coder would be given now. */
    async previewBrief(caller: MemberCaller, taskId: string): Promise<string> {
      const attempt = { local: false, note: null, threads: [], continues: undefined, cameBack: undefined };
      return (await write(caller.brandId, taskId, attempt)).text;
    },

    /** What a build was given, byte for byte. */
    async readBrief(caller: MemberCaller, buildId: string): Promise<string> {
      const brief = await briefStore(db, caller.brandId).find(buildId);
      if (brief !== undefined) return brief;
      const build = await buildStore(db, caller.brandId).find(buildId, clock.now());
      throw build ? noBriefYet() : buildNotFound();
    },
  };
}
