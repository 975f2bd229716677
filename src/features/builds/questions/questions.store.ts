import { sql } from 'kysely';
import type { ActorIds, ActorNames } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { actorNames } from '../../../platform/database/schema/sql-fragments.js';

export interface QuestionRow {
  question_id: string;
  build_id: string;
  question: string;
  choices: string[] | null;
  asked_at: Date;
  expires_at: Date;
  answered_at: Date | null;
  answered_by: ActorNames | null;
  choice: string | null;
  text: string | null;
  expired_at: Date | null;
}

export type NewQuestion = Pick<
  QuestionRow,
  'question_id' | 'build_id' | 'question' | 'choices' | 'asked_at' | 'expires_at'
> & { key: string };

export type Undelivered = Pick<QuestionRow, 'build_id' | 'question_id' | 'choice' | 'text' | 'expired_at'>;

const columns = sql`q.question_id, q.build_id, q.question, q.choices, q.asked_at, q.expires_at, q.answered_at,
  ${actorNames(sql`q.answered_by`, sql`q.answered_by_agent`)} as answered_by, q.choice, q.text, q.expired_at`;
const isOpen = sql`q.answered_at is null and q.expired_at is null`;

export function questionStore(db: Db | Tx, brandId: number) {
  return {
    async findByKey(buildId: string, key: string): Promise<string | undefined> {
      const { rows } = await sql<{ question_id: string }>`
        select question_id from build_questions where brand_id = ${brandId} and build_id = ${buildId} and key = ${key}`.execute(
        db,
      );
      return rows[0]?.question_id;
    },

    async count(buildId: string): Promise<number> {
      const { rows } = await sql<{ questions: number }>`
        select count(*)::int as questions from build_questions where brand_id = ${brandId} and build_id = ${buildId}`.execute(
        db,
      );
      return rows[0]!.questions;
    },

    async insert(one: NewQuestion): Promise<void> {
      await sql`
        insert into build_questions (question_id, brand_id, build_id, key, question, choices, asked_at, expires_at)
        values (${one.question_id}, ${brandId}, ${one.build_id}, ${one.key}, ${one.question}, ${one.choices}::text[],
          ${one.asked_at}, ${one.expires_at})`.execute(db);
    },

    async list(buildId: string): Promise<QuestionRow[]> {
      const { rows } = await sql<QuestionRow>`
        select ${columns} from build_questions q
        where q.brand_id = ${brandId} and q.build_id = ${buildId} order by q.asked_at, q.question_id`.execute(
        db,
      );
      return rows;
    },

    async answer(
      questionId: string,
      { choice, text, by }: { choice: string | null; text: string | null; by: ActorIds },
      now: Date,
    ): Promise<void> {
      await sql`
        update build_questions set answered_at = ${now}, answered_by = ${by.userId}, answered_by_agent = ${by.agentId},
          choice = ${choice}, text = ${text}
        where brand_id = ${brandId} and question_id = ${questionId}`.execute(db);
    },

    async expire(buildId: string, now: Date): Promise<void> {
      await sql`
        update build_questions q set expired_at = ${now}
        where q.brand_id = ${brandId} and q.build_id = ${buildId} and ${isOpen} and q.expires_at <= ${now}`.execute(
        db,
      );
    },

    async hasOpen(buildId: string): Promise<boolean> {
      const { rows } = await sql<{ open: boolean }>`
        select exists (select from build_questions q where q.brand_id = ${brandId} and q.build_id = ${buildId} and ${isOpen}) as open`.execute(
        db,
      );
      return rows[0]!.open;
    },

    /** Answers that the desk has not confirmed. */
    async listUndelivered(deskId: string): Promise<Undelivered[]> {
      const { rows } = await sql<Undelivered>`
        select q.build_id, q.question_id, q.choice, q.text, q.expired_at
        from builds b join build_questions q using (build_id)
        where b.brand_id = ${brandId} and b.workstation_id = ${deskId} and b.finished_at is null and b.started_at is not null
          and q.delivered_at is null and not (${isOpen})
        order by q.asked_at, q.question_id`.execute(db);
      return rows;
    },

    async noteDelivered(deskId: string, questionIds: readonly string[], now: Date): Promise<void> {
      await sql`
        update build_questions q set delivered_at = ${now}
        from builds b
        where b.build_id = q.build_id and b.brand_id = ${brandId} and b.workstation_id = ${deskId}
          and q.question_id = any(${[...questionIds]}::uuid[]) and q.delivered_at is null and not (${isOpen})`.execute(
        db,
      );
    },
  };
}

/** A build that waits for an answer past its end, in any workspace. */
export async function findOverdueQuestion(
  db: Db | Tx,
  now: Date,
  passedOver: readonly string[],
): Promise<{ brand_id: number; build_id: string } | undefined> {
  const { rows } = await sql<{ brand_id: number; build_id: string }>`
    select q.brand_id, q.build_id from build_questions q join builds b using (build_id)
    where ${isOpen} and q.expires_at <= ${now} and b.finished_at is null and q.build_id <> all(${[...passedOver]}::uuid[])
    order by q.expires_at limit 1`.execute(db);
  return rows[0];
}
