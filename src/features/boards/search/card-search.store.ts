import { sql } from 'kysely';
import type { ActorNames } from '../../../kernel/actors.js';
import type { Db } from '../../../platform/database/database.js';
import {
  actorNames,
  askedAnywhere,
  askedOfTitle,
  type SearchedWords,
} from '../../../platform/database/schema/sql-fragments.js';
import { boardsVisibleTo } from '../board/boards.store.js';

export interface AskedRef {
  key: string | null;
  number: number;
}

export interface SearchedBoards {
  /** Null when the caller is not a guest. */
  guestId: number | null;
  crm: boolean;
}

export interface FoundCardRow {
  card_id: string;
  board_id: string;
  board_key: string;
  board_name: string;
  number: number;
  title: string;
  status: string;
  changed_at: Date;
}

export interface FoundTextRow extends FoundCardRow {
  /** The texts of the card or comment that contain the words, unless the title does. */
  instructions: string | null;
  result: string | null;
  comment: { id: string; body: string; author: ActorNames | null } | null;
}

/** Upper bounds on the number of texts examined. */
const MOST_BY_TITLE = 300;
const MOST_BY_TEXT = 500;
const MOST_NEWEST = 500;
const MOST_NEWEST_OF_GUESTS = 2000;
/** Only this many characters of a text are indexed. */
const LONGEST_TEXT = 40_000;

const newestOfWorkspace = (brandId: number) => sql`
  select text_id, card_id, board_id, changed_at, words from card_words
  where brand_id = ${brandId} order by changed_at desc limit ${sql.lit(MOST_NEWEST)}`;

/** The newest texts of a workspace are mostly on boards that the guest cannot open. */
const newestOfBoards = sql`
  select newest.* from unnest((select boards from asked)) as of_board (id) cross join lateral (
    select w.text_id, w.card_id, w.board_id, w.changed_at, w.words from card_words w
    where w.board_id = of_board.id order by w.changed_at desc
    limit (select ceil(${sql.lit(MOST_NEWEST_OF_GUESTS)}::float8 / greatest(1, cardinality(boards))) from asked)
  ) newest`;

const openBoards = (brandId: number, { guestId, crm }: SearchedBoards) => sql`
  select board_id, key, name from (${boardsVisibleTo(brandId, guestId)}) visible where ${crm} or board_type <> 'crm'`;

const cardColumns = sql`
  k.card_id, k.board_id, b.key as board_key, b.name as board_name, k.number, k.title, k.status, first.changed_at`;

export function cardSearchStore(db: Db, brandId: number) {
  /**
   * Matches by title among the newest cards. If they fill the limit, no other match could come before them.
   */
  async function findNewestByTitle(
    asked: SearchedWords,
    { crm }: SearchedBoards,
    limit: number,
  ): Promise<FoundCardRow[]> {
    const isShown = crm
      ? sql`true`
      : sql`board_id <> all(array(select board_id from boards where brand_id = ${brandId} and board_type = 'crm'))`;
    const { rows } = await sql<FoundCardRow>`
      select ${cardColumns} from (
        select card_id, changed_at from (${newestOfWorkspace(brandId)}) texts
        where words @@ (select ${askedOfTitle(asked)}) and ${isShown} order by changed_at desc limit ${limit}
      ) first join cards k using (card_id) join boards b on b.board_id = k.board_id
      where k.brand_id = ${brandId}
      order by first.changed_at desc, first.card_id
    `.execute(db);
    return rows;
  }

  /** Searches the newest texts first, then a sample of the others. */
  async function findAnywhere(
    asked: SearchedWords,
    boards: SearchedBoards,
    limit: number,
  ): Promise<FoundTextRow[]> {
    // Subselects, so that the query words are evaluated once.
    const [ofTitle, anywhere] = [sql`(select of_title from asked)`, sql`(select query from asked)`];
    const columns = sql`text_id, card_id, changed_at, words @@ ${ofTitle} as in_title`;
    const visible = sql`board_id = any((select boards from asked)::uuid[])`;
    const newestTexts = boards.guestId === null ? newestOfWorkspace(brandId) : newestOfBoards;
    const { rows } = await sql<FoundTextRow>`
      with asked as materialized (
        select ${askedOfTitle(asked)} as of_title, ${askedAnywhere(asked)} as query,
          array(select board_id from (${openBoards(brandId, boards)}) open) as boards
      ), newest as materialized (
        select ${columns} from (${newestTexts}) texts where words @@ ${anywhere} and ${visible}
      ), by_title as materialized (
        select ${columns} from card_texts_with(${ofTitle}, ${sql.lit(MOST_BY_TITLE)})
        where (select count(*) from newest where in_title) < ${limit} and ${visible}
      ), by_text as materialized (
        select ${columns} from card_texts_with(${anywhere}, ${sql.lit(MOST_BY_TEXT)})
        where (select count(distinct card_id) from (table newest union all table by_title) found) < ${limit} and ${visible}
      ), candidates as (
        table newest union all table by_title union all table by_text
      ), best as (
        select distinct on (card_id) text_id, card_id, changed_at, in_title from candidates
        order by card_id, in_title desc, text_id <> card_id, changed_at desc
      ), first as (
        select * from best order by in_title desc, changed_at desc, card_id limit ${limit}
      )
      select ${cardColumns},
        left(bodies.instructions, ${sql.lit(LONGEST_TEXT)}) as instructions, left(bodies.result, ${sql.lit(LONGEST_TEXT)}) as result,
        case when c.comment_id is not null then json_build_object('id', c.comment_id, 'body', left(c.body, ${sql.lit(LONGEST_TEXT)}),
          'author', ${actorNames(sql`c.author_user_id`, sql`c.author_agent_id`)}) end as comment
      from first join cards k using (card_id) join boards b on b.board_id = k.board_id
      left join card_bodies bodies on bodies.card_id = first.text_id and not first.in_title
      left join card_comments c on c.comment_id = first.text_id
      where k.brand_id = ${brandId}
      order by first.in_title desc, first.changed_at desc, first.card_id
    `.execute(db);
    return rows;
  }

  return {
    async findByNumber(
      { key, number }: AskedRef,
      boards: SearchedBoards,
      limit: number,
    ): Promise<FoundCardRow[]> {
      const { rows } = await sql<FoundCardRow>`
        select k.card_id, k.board_id, b.key as board_key, b.name as board_name, k.number, k.title, k.status, k.updated_at as changed_at
        from (${openBoards(brandId, boards)}) b join cards k on k.board_id = b.board_id
        where k.number = ${number} and k.brand_id = ${brandId} and (${key}::text is null or b.key = ${key}::text)
        order by k.updated_at desc, k.card_id limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Matches by title first, then the newest. */
    async findByWords(
      text: string,
      boards: SearchedBoards,
      limit: number,
    ): Promise<(FoundCardRow | FoundTextRow)[]> {
      const asked = { brandId, text };
      const titled = boards.guestId === null ? await findNewestByTitle(asked, boards, limit) : [];
      return titled.length === limit ? titled : findAnywhere(asked, boards, limit);
    },
  };
}
