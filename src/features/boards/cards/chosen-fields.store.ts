import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import { columnOf, type FieldName, fieldOf } from './card-fields.js';
import { blockedBy, blocks, childIds, watchers } from './card-pages.store.js';
import type { CardRow } from './field-kinds.js';

/** Expressions for fields that need more than their own column. */
const BESIDE: Partial<Record<FieldName, RawBuilder<unknown>>> = {
  ref: sql`b.key || '-' || k.number as ref`,
  board: sql`b.name as board`,
  column: sql`c.name as column_name`,
  assignee: sql`(select u.full_name from users u where u.user_id = k.assignee_user_id) as assignee_name`,
  reporter: sql`(select u.full_name from users u where u.user_id = k.reporter_user_id) as reporter_name`,
  watchers,
  child_ids: childIds,
  blocked_by: blockedBy,
  blocks,
};

function columnsFor(name: FieldName): RawBuilder<unknown>[] {
  const column = columnOf(name);
  const beside = BESIDE[name];
  return [...(column ? [sql`k.${sql.ref(column)}`] : []), ...(beside ? [beside] : [])];
}

function selected(names: readonly FieldName[]): RawBuilder<unknown> {
  return sql.join(names.flatMap(columnsFor));
}

export const chosenFieldStore = (db: Db, brandId: number) => ({
  /** A single read in the order of the ids, so that `version` fits the other fields. */
  async listChosen(cardIds: string[], names: readonly FieldName[]): Promise<Record<string, unknown>[]> {
    const { rows } = await sql`
      select ${selected(names)} from unnest(${cardIds}::uuid[]) with ordinality as wanted (card_id, place)
      join cards k on k.card_id = wanted.card_id and k.brand_id = ${brandId}
      join boards b on b.board_id = k.board_id join board_columns c on c.column_id = k.column_id
      order by wanted.place
    `.execute(db);
    return (rows as CardRow[]).map((row) =>
      Object.fromEntries(names.map((name) => [name, shownIn(row, name)])),
    );
  },
});

function shownIn(row: CardRow, name: FieldName): unknown {
  const kept = row[(columnOf(name) ?? name) as keyof CardRow];
  const { show } = fieldOf(name);
  return show ? show(kept as never, row) : kept;
}
