import { sql } from 'kysely';
import type { ActorIds, ActorNames } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { actorNames } from '../../../platform/database/schema/sql-fragments.js';
import type { Side } from '../review.schemas.js';

export interface CommentRow {
  comment_id: string;
  build_id: string;
  attempt: number;
  answers: string | null;
  path: string | null;
  line: number | null;
  side: Side;
  commit_sha: string | null;
  context: string | null;
  body: string;
  author: ActorNames | null;
  draft_of: number | null;
  written_at: Date;
  resolved_at: Date | null;
  resolver: ActorNames | null;
}

export type NewCommentRow = Pick<
  CommentRow,
  'comment_id' | 'build_id' | 'answers' | 'path' | 'line' | 'side' | 'commit_sha' | 'context' | 'body'
>;

/** How many attempts back comments are read. */
const MOST_GENERATIONS = 100;

/** Drafts belong to a person or to one of their agents. */
const isDraftOf = (writer: ActorIds | undefined) => sql`
  (c.draft_of = ${writer?.userId ?? null} and c.author_agent_id is not distinct from ${writer?.agentId ?? null})`;

const columns = sql`
  c.comment_id, c.build_id, b.attempt, c.answers, c.path, c.line, c.side, c.commit_sha, c.context, c.body,
  ${actorNames(sql`c.author_user_id`, sql`c.author_agent_id`)} as author, c.draft_of, c.written_at,
  c.resolved_at, ${actorNames(sql`c.resolved_by`, sql`c.resolved_by_agent`)} as resolver`;

export function commentStore(db: Db | Tx, brandId: number) {
  const lineOf = (buildId: string) => sql`
    line (build_id, continues, generation) as (
      select b.build_id, b.continues, 0 from builds b where b.brand_id = ${brandId} and b.build_id = ${buildId}
      union all
      select b.build_id, b.continues, l.generation + 1 from line l
      join builds b on b.build_id = l.continues and b.brand_id = ${brandId}
      where l.generation < ${sql.lit(MOST_GENERATIONS)})`;

  return {
    async listOfLine(buildId: string, viewer: ActorIds | undefined, limit: number): Promise<CommentRow[]> {
      const visible = sql`(c.sent_at is not null or ${isDraftOf(viewer)})`;
      const { rows } = await sql<CommentRow>`
        with recursive ${lineOf(buildId)},
        thread (comment_id) as (
          select c.comment_id from line l join review_comments c using (build_id) where c.answers is null and ${visible}),
        said (comment_id) as (
          select comment_id from thread
          union all
          select c.comment_id from thread t join review_comments c on c.answers = t.comment_id where ${visible})
        select ${columns} from said join review_comments c using (comment_id) join builds b on b.build_id = c.build_id
        order by c.written_at, c.comment_id limit ${limit}`.execute(db);
      return rows;
    },

    async countOfLine(buildId: string): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        with recursive ${lineOf(buildId)}
        select count(*)::int as count from line l join review_comments c using (build_id)`.execute(db);
      return rows[0]!.count;
    },

    async insert(comment: NewCommentRow, written: { by: ActorIds; at: Date; draft: boolean }): Promise<void> {
      await sql`
        insert into review_comments (comment_id, brand_id, build_id, answers, path, line, side, commit_sha, context, body,
          author_user_id, author_agent_id, draft_of, written_at, sent_at)
        values (${comment.comment_id}, ${brandId}, ${comment.build_id}, ${comment.answers}, ${comment.path}, ${comment.line},
          ${comment.side}, ${comment.commit_sha}, ${comment.context}, ${comment.body}, ${written.by.userId},
          ${written.by.agentId}, ${written.draft ? written.by.userId : null}, ${written.at}, ${written.draft ? null : written.at})`.execute(
        db,
      );
    },

    async hasDrafts(buildId: string, writer: ActorIds): Promise<boolean> {
      const { rows } = await sql`
        select from review_comments c
        where c.brand_id = ${brandId} and c.build_id = ${buildId} and ${isDraftOf(writer)} limit 1`.execute(
        db,
      );
      return rows.length > 0;
    },

    async send(
      buildId: string,
      writer: ActorIds,
      at: Date,
    ): Promise<{ body: string; answers: string | null }[]> {
      const { rows } = await sql<{ body: string; answers: string | null }>`
        with sent as (
          update review_comments c set draft_of = null, sent_at = ${at}
          where c.brand_id = ${brandId} and c.build_id = ${buildId} and ${isDraftOf(writer)}
          returning c.body, c.answers, c.written_at, c.comment_id)
        select body, answers from sent order by written_at, comment_id`.execute(db);
      return rows;
    },

    async changeBody(commentId: string, body: string): Promise<void> {
      await sql`
        update review_comments set body = ${body}
        where brand_id = ${brandId} and comment_id = ${commentId}`.execute(db);
    },

    /** The first person who resolves a thread stays its resolver. */
    async resolve(threadId: string, resolved: { by: ActorIds; at: Date } | null): Promise<void> {
      await sql`
        update review_comments set
          resolved_at = case when ${resolved !== null} then coalesce(resolved_at, ${resolved?.at ?? null}) end,
          resolved_by = case when ${resolved !== null} and resolved_at is not null then resolved_by
            else ${resolved?.by.userId ?? null}::int end,
          resolved_by_agent = case when ${resolved !== null} and resolved_at is not null then resolved_by_agent
            else ${resolved?.by.agentId ?? null}::text end
        where brand_id = ${brandId} and comment_id = ${threadId}`.execute(db);
    },

    /** False when the comment has answers. */
    async delete(commentId: string): Promise<boolean> {
      const { rows } = await sql`
        delete from review_comments c
        where c.brand_id = ${brandId} and c.comment_id = ${commentId}
          and not exists (select from review_comments a where a.answers = c.comment_id and a.sent_at is not null)
        returning c.comment_id`.execute(db);
      return rows.length > 0;
    },

    async listSpeakers(threadIds: readonly string[]): Promise<number[]> {
      const { rows } = await sql<{ user_id: number }>`
        select distinct c.author_user_id as user_id from review_comments c
        where c.brand_id = ${brandId} and c.author_user_id is not null and c.sent_at is not null
          and (c.comment_id = any(${[...threadIds]}::uuid[]) or c.answers = any(${[...threadIds]}::uuid[]))`.execute(
        db,
      );
      return rows.map(({ user_id }) => user_id);
    },
  };
}

interface OwnComment {
  id: string;
  brand_id: number;
  ref: string;
  path: string | null;
  line: number | null;
  body: string;
  created_at: Date;
  sent_at: Date | null;
}

const FIRST = '00000000-0000-0000-0000-000000000000';

export async function listCommentsOf(
  db: Db,
  userId: number,
  after: string | undefined,
  limit: number,
): Promise<OwnComment[]> {
  const { rows } = await sql<OwnComment>`
    select c.comment_id as id, c.brand_id, b.ref, c.path, c.line, c.body, c.written_at as created_at, c.sent_at
    from review_comments c join builds b using (build_id)
    where c.author_user_id = ${userId} and c.comment_id > ${after ?? FIRST}
    order by c.comment_id limit ${limit}`.execute(db);
  return rows;
}
