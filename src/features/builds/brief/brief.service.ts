import type { MemberCaller } from '../../../kernel/access.js';
import { cardNotFound } from '../../boards/index.js';
import { buildNotFound, noBriefYet } from '../builds.errors.js';
import { BRIEF_TAIL } from '../checks/checks.schemas.js';
import { checkStore } from '../checks/checks.store.js';
import type { CommentService, OpenThread } from '../comments/comments.service.js';
import type { BuildCommits } from '../commits/commits.service.js';
import { hostFeedbackStore } from '../lifecycle/host-feedback.store.js';
import type { BriefedBuild, BuildDeps, HostFeedback, WrittenBrief } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { briefStore } from './brief.store.js';
import { findNamedPaths, writeLessons, writeMemories } from './brief-knowledge.js';
import {
  MOST_COMMENTS,
  writeChecks,
  writeComments,
  writeFiles,
  writeHostFeedback,
  writeThreads,
} from './brief-sections.js';
import { renderBrief } from './brief-text.js';
import { createReviewBrief } from './review-brief.js';

interface BriefDeps extends BuildDeps {
  commits: BuildCommits;
  comments: CommentService;
}

interface Attempt {
  local: boolean;
  note: string | null;
  threads: readonly OpenThread[];
  continues: BuildRow | undefined;
  hostFeedback: HostFeedback | undefined;
}

const MOST_CHANGED_PATHS = 200;
const MOST_STEPS = 10;

export type BriefService = ReturnType<typeof createBriefService>;

export function createBriefService(deps: BriefDeps) {
  const { db, clock, boards, commits, comments } = deps;
  const writeReviewBrief = createReviewBrief(deps);

  const listChecks = async ({ brand_id, build_id, checking_at }: BuildRow) =>
    checking_at === null ? [] : checkStore(db, brand_id).listWithTails(build_id, BRIEF_TAIL);

  /** Looks at this attempt, and then at earlier attempts that were not accepted since. */
  async function findHostFeedback(
    { brand_id, build_id, rework_of }: BriefedBuild,
    continues: BuildRow | undefined,
  ): Promise<HostFeedback | undefined> {
    if (build_id && rework_of) return hostFeedbackStore(db, brand_id).find(build_id);
    for (let before = continues, steps = 0; before && steps < MOST_STEPS; steps += 1) {
      if (before.accepted_at !== null) return undefined;
      if (before.rework_of) return hostFeedbackStore(db, brand_id).find(before.build_id);
      before = before.continues
        ? await buildStore(db, brand_id).find(before.continues, clock.now())
        : undefined;
    }
    return undefined;
  }

  async function write(
    brandId: number,
    taskId: string,
    { local, note, threads, continues, hostFeedback }: Attempt,
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
      ...(hostFeedback?.files ?? []),
      ...(hostFeedback?.comments.map(({ path }) => path ?? '') ?? []),
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
      hostFeedback: hostFeedback ? writeHostFeedback(hostFeedback) : '',
      lessons: await writeLessons(deps, brandId, card.project_id, paths),
      memories: await writeMemories(
        deps,
        brandId,
        card.assignee_agent_id,
        `${card.title}\n${instructions.slice(0, 2000)}`,
      ),
    });
    // Anyone may write on a repository host, so its text counts as a guest's.
    const guestWords =
      guestTexts.length > 0 ||
      onCard.byGuest ||
      files.byGuest ||
      continues?.guest_words === true ||
      hostFeedback !== undefined;
    return { text, guestWords };
  }

  return {
    async writeBrief(build: BriefedBuild): Promise<WrittenBrief> {
      if (build.reviewed_build_id)
        return writeReviewBrief({ brand_id: build.brand_id, reviewed_build_id: build.reviewed_build_id });
      const continues = build.continues
        ? await buildStore(db, build.brand_id).find(build.continues, clock.now())
        : undefined;
      const threads = continues ? await comments.listOpenThreads(continues) : [];
      const { local, note } = build;
      const hostFeedback = await findHostFeedback(build, continues);
      return write(build.brand_id, build.task_id, { local, note, threads, continues, hostFeedback });
    },

    async previewBrief(caller: MemberCaller, taskId: string): Promise<string> {
      const attempt = {
        local: false,
        note: null,
        threads: [],
        continues: undefined,
        hostFeedback: undefined,
      };
      return (await write(caller.brandId, taskId, attempt)).text;
    },

    async readBrief(caller: MemberCaller, buildId: string): Promise<string> {
      const brief = await briefStore(db, caller.brandId).find(buildId);
      if (brief !== undefined) return brief;
      const build = await buildStore(db, caller.brandId).find(buildId, clock.now());
      throw build ? noBriefYet() : buildNotFound();
    },
  };
}
