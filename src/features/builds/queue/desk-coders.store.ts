import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface ReportedCoder {
  name: string;
  version: string | null;
}

interface CoderOfDesk extends ReportedCoder {
  desk_id: string;
}

const REPORTED_DAYS = 30;
/** Saves a write for nearly every request for work. */
const NOTE_AGAIN_HOURS = 1;
/** A desk cannot fill the table with names. */
const MOST_NAMES = 200;

export function deskCoderStore(db: Db | Tx, brandId: number) {
  return {
    async note(deskId: string, coders: readonly ReportedCoder[], now: Date): Promise<void> {
      await sql`
        insert into desk_coders as c (desk_id, name, brand_id, version, reported_at)
        select ${deskId}, said.name, ${brandId}, said.version, ${now}
        from unnest(${coders.map(({ name }) => name)}::text[], ${coders.map(({ version }) => version)}::text[]) as said (name, version)
        left join desk_coders before on before.desk_id = ${deskId} and before.name = said.name
        where (before.name is not null
            or (select count(*) from desk_coders k where k.desk_id = ${deskId}) < ${sql.lit(MOST_NAMES)})
          and (before.version is distinct from said.version or before.reported_at is null
          or before.reported_at < ${now}::timestamptz - make_interval(hours => ${sql.lit(NOTE_AGAIN_HOURS)}))
        on conflict (desk_id, name) do update set version = excluded.version, reported_at = excluded.reported_at`.execute(
        db,
      );
    },

    /** The names that one desk, or any desk of the workspace, reported lately. */
    async listNames(now: Date, deskId?: string): Promise<string[]> {
      const { rows } = await sql<{ name: string }>`
        select distinct name from desk_coders
        where brand_id = ${brandId} and desk_id = coalesce(${deskId ?? null}::uuid, desk_id)
          and reported_at > ${now}::timestamptz - make_interval(days => ${sql.lit(REPORTED_DAYS)})
        order by name`.execute(db);
      return rows.map(({ name }) => name);
    },

    async list(now: Date): Promise<CoderOfDesk[]> {
      const { rows } = await sql<CoderOfDesk>`
        select desk_id, name, version from desk_coders
        where brand_id = ${brandId} and reported_at > ${now}::timestamptz - make_interval(days => ${sql.lit(REPORTED_DAYS)})
        order by name, desk_id`.execute(db);
      return rows;
    },
  };
}
