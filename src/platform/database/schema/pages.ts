import { type RawBuilder, sql } from 'kysely';

/**
 * The first of ordered rows of a list that grows; nobody may ask for more than `most`. One plan for pages of every size is reckoned
 * for a tenth of the rows there are: of many rows that seems so dear that each question would be planned anew, a tenth of `most` does not.
 */
export const firstOf = (rows: RawBuilder<unknown>, limit: number, most: number): RawBuilder<unknown> =>
  sql`select * from (select * from (${rows}) listed limit ${sql.lit(most)}) possible limit ${limit}`;
