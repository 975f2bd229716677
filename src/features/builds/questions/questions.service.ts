import type { DeskCaller, MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf, showActor } from '../../../kernel/actors.js';
import { HOUR, secondsFrom } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import {
  answerMissing,
  buildNotFound,
  notAChoice,
  questionClosed,
  questionNotFound,
  tooManyQuestions,
} from '../builds.errors.js';
import type { Lifecycle } from '../lifecycle/advance.js';
import { OPEN_POLICY } from '../policy/policy.service.js';
import { policyStore } from '../policy/policy.store.js';
import { requireOpenWork } from '../record/build-access.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { beginning } from '../record/notifications.js';
import type { AnswerInput, Question, QuestionInput, QuestionList } from './questions.schemas.js';
import { findOverdueQuestion, type QuestionRow, questionStore } from './questions.store.js';

interface QuestionDeps extends BuildDeps {
  lifecycle: Lifecycle;
}

const MOST_QUESTIONS = 200;

/** Questions of coders to people. A build waits while one of its questions is open. */
export function createQuestionService({ db, clock, log, inbox, lifecycle }: QuestionDeps) {
  async function continueBuild(tx: Tx, build: BuildRow): Promise<void> {
    if (build.status !== 'waiting' || (await questionStore(tx, build.brand_id).hasOpen(build.build_id)))
      return;
    await lifecycle.advance(tx, build, { name: 'resume' });
  }

  async function lockBuild(tx: Tx, brandId: number, buildId: string): Promise<BuildRow> {
    const build = await buildStore(tx, brandId).lock(buildId, clock.now());
    if (!build) throw buildNotFound();
    return lifecycle.settle(tx, build);
  }

  /** The first answer counts. A build that finished needs none. */
  async function requireOpen(
    tx: Tx,
    caller: MemberCaller,
    build: BuildRow,
    questionId: string,
  ): Promise<QuestionRow> {
    const questions = await questionStore(tx, caller.brandId).list(build.build_id);
    const found = questions.find(({ question_id }) => question_id === questionId);
    if (!found) throw questionNotFound();
    if (found.answered_at) throw questionClosed('answered');
    if (build.finished_at) throw questionClosed('closed, because the build is finished');
    if (found.expired_at || found.expires_at <= clock.now()) throw questionClosed('expired');
    return found;
  }

  return {
    async ask(
      caller: DeskCaller,
      buildId: string,
      claim: string | undefined,
      { key, question, choices, minutes }: QuestionInput,
    ): Promise<{ question_id: string }> {
      const now = clock.now();
      return lifecycle.within(db, async (tx) => {
        const found = await buildStore(tx, caller.brandId).lock(buildId, now);
        requireOpenWork(found, caller, claim);
        const build = await lifecycle.settle(tx, found);
        const store = questionStore(tx, caller.brandId);
        const known = await store.findByKey(buildId, key);
        if (known) return { question_id: known };
        requireOpenWork(build, caller, claim);
        if (build.finished_at !== null) throw questionClosed('closed, because the build is finished');
        if ((await store.count(buildId)) >= MOST_QUESTIONS) throw tooManyQuestions(MOST_QUESTIONS);
        const { question_hours } = (await policyStore(tx, caller.brandId).find()) ?? OPEN_POLICY;
        const seconds = Math.min(question_hours * HOUR, (minutes ?? Number.POSITIVE_INFINITY) * 60);
        const question_id = newId();
        const expires_at = secondsFrom(now, seconds);
        await store.insert({
          question_id,
          build_id: buildId,
          key,
          question,
          choices: choices ?? null,
          asked_at: now,
          expires_at,
        });
        if (build.status === 'running') await lifecycle.advance(tx, build, { name: 'wait_for_answer' });
        await inbox.notify(tx, [
          {
            brandId: caller.brandId,
            kind: 'build_question',
            taskId: build.task_id,
            buildId,
            at: now,
            actor: null,
            excerpt: beginning(question),
            to: { users: build.created_by === null ? [] : [build.created_by], assignee: true },
          },
        ]);
        return { question_id };
      });
    },

    async list(brandId: number, buildId: string): Promise<QuestionList> {
      const build = await buildStore(db, brandId).find(buildId, clock.now());
      if (!build) throw buildNotFound();
      const rows = await questionStore(db, brandId).list(buildId);
      return { questions: rows.map((row) => viewQuestion(row, build, clock.now())) };
    },

    async answer(
      caller: MemberCaller,
      buildId: string,
      questionId: string,
      { choice, text }: AnswerInput,
    ): Promise<Question> {
      const now = clock.now();
      return lifecycle.within(db, async (tx) => {
        const build = await lockBuild(tx, caller.brandId, buildId);
        const { choices } = await requireOpen(tx, caller, build, questionId);
        if (choice === undefined && !text?.trim()) throw answerMissing();
        if (choice !== undefined && !choices?.includes(choice)) throw notAChoice(choices ?? []);
        const store = questionStore(tx, caller.brandId);
        const said = { choice: choice ?? null, text: text ?? null, by: actorIdsOf(caller) };
        await store.answer(questionId, said, now);
        await continueBuild(tx, build);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'build.answered',
          subject: `build:${buildId}`,
          details: { question_id: questionId },
          at: now,
        });
        const after = await store.list(buildId);
        return viewQuestion(after.find(({ question_id }) => question_id === questionId)!, build, now);
      });
    },

    /** Continues builds whose questions nobody answered in time. */
    async expireQuestions({ signal }: { signal: AbortSignal }): Promise<number> {
      const passedOver: string[] = [];
      let expired = 0;
      for (let next = await findOverdueQuestion(db, clock.now(), passedOver); next && !signal.aborted; ) {
        const { brand_id: brandId, build_id: buildId } = next;
        passedOver.push(buildId);
        try {
          await lifecycle.within(db, async (tx) => {
            const build = await lockBuild(tx, brandId, buildId);
            await questionStore(tx, brandId).expire(buildId, clock.now());
            await continueBuild(tx, build);
          });
          expired += 1;
        } catch (error) {
          // One build must not keep the others waiting.
          log.error({ err: error }, 'The questions of a build could not be expired');
        }
        next = await findOverdueQuestion(db, clock.now(), passedOver);
      }
      return expired;
    },
  };
}

export type QuestionService = ReturnType<typeof createQuestionService>;

function viewQuestion(row: QuestionRow, build: Pick<BuildRow, 'finished_at'>, now: Date): Question {
  const over = row.expired_at !== null || row.expires_at <= now || build.finished_at !== null;
  return {
    question_id: row.question_id,
    question: row.question,
    choices: row.choices,
    status: row.answered_at ? 'answered' : over ? 'expired' : 'open',
    asked_at: row.asked_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    answer: row.answered_at && {
      choice: row.choice,
      text: row.text,
      by: showActor(row.answered_by),
      at: row.answered_at.toISOString(),
    },
  };
}
