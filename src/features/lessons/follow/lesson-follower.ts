import type { Clock } from '../../../kernel/clock.js';
import type { Db } from '../../../platform/database/database.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import type { FollowedRun, IndexFollower } from '../../projects/index.js';
import { staleMessages } from '../records/lesson-changes.js';
import { type LessonWrite, lessonRecords } from '../records/lesson-records.store.js';
import { type FollowedLesson, followLessons } from './followed-lessons.js';

export interface FollowerDeps {
  db: Db;
  clock: Clock;
  jobs: Pick<Jobs, 'trigger'>;
  outbox: Pick<WebhookOutbox, 'tell'>;
}

const MOST_WARNINGS = 1000;

/** Takes the lessons of a project along with every pass over its code. */
export function createLessonFollower(deps: FollowerDeps): IndexFollower {
  return {
    async open({ projectId, brandId }) {
      return followRun(deps, brandId, projectId);
    },
  };
}

async function followRun(
  { db, clock, jobs, outbox }: FollowerDeps,
  brandId: number,
  projectId: string,
): Promise<FollowedRun> {
  const followed = followLessons(await lessonRecords(db, brandId, projectId).load());
  return {
    isAnchored: followed.isAnchored,
    step: followed.step,
    finish: followed.finish,

    async write(tx) {
      const records = lessonRecords(tx, brandId, projectId);
      const { lessons, removed, bound, warnings } = followed.outcome();
      const changed = lessons.filter((lesson) => lesson.draft !== null);
      await records.remove(removed);
      const numbers = await records.save(changed.map(asWrite), clock.now());
      await records.bindAnchors(bound);
      await records.addMoves(movesOf(lessons, new Map(changed.map((lesson, at) => [lesson, numbers[at]!]))));
      await records.settleAnchors();
      const stale = await records.settleStaleness();
      await outbox.tell(tx, staleMessages(brandId, projectId, stale, clock.now()));
      await records.bumpVersion();
      if (changed.length > 0) await jobs.trigger(tx, 'lesson-embed');
      const holdsAny = lessons.some((lesson) => lesson.origin === 'repository');
      return {
        lessons: holdsAny ? await records.countLiveOfRepository() : 0,
        warnings: [...warnings, ...(await records.unresolvedAnchors())].slice(0, MOST_WARNINGS),
      };
    },
  };
}

function movesOf(lessons: readonly FollowedLesson[], numbers: ReadonlyMap<FollowedLesson, number>) {
  return lessons.flatMap((lesson) => {
    const no = numbers.get(lesson) ?? lesson.no;
    return no === null ? [] : lesson.moves.map((move) => ({ ...move, no }));
  });
}

function asWrite(lesson: FollowedLesson): LessonWrite {
  return { no: lesson.no, origin: lesson.origin, draft: lesson.draft!, anchors: lesson.anchors };
}
