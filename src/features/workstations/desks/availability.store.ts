import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import type { EnvironmentStatus } from '../health/desk-status.js';

export interface KnownDesk {
  desk_id: string;
  name: string;
  created_at: Date;
  status: EnvironmentStatus;
}

export interface Transition {
  desk_id: string;
  at: Date;
  from_status: EnvironmentStatus | null;
  to_status: EnvironmentStatus;
}

const MOST_DESKS = 200;

export const availabilityStore = (db: Db, brandId: number) => ({
  async listDesks(): Promise<KnownDesk[]> {
    const { rows } = await sql<KnownDesk>`
      select desk_id, name, created_at, status from desks where brand_id = ${brandId}
      order by name, desk_id limit ${MOST_DESKS}`.execute(db);
    return rows;
  },

  /** Oldest first. A desk keeps its newest thousand events, so there is an end to them. */
  async listTransitions(deskIds: string[], since: Date): Promise<Transition[]> {
    const { rows } = await sql<Transition>`
      select desk_id, at, from_status, to_status from desk_events
      where desk_id = any(${deskIds}::uuid[]) and at >= ${since} and to_status is not null
      order by event_id`.execute(db);
    return rows;
  },
});
