import { sql } from 'kysely';
import type { Db, Tx } from '../../../database/database.js';
import type { Risk } from '../risk/risk.schemas.js';
import type { GateNote } from './gate.schemas.js';

/** What is known of the changes of builds of one workspace. */
export function gateStore(db: Db | Tx, brandId: number) {
  return {
    /** In the transaction that ends the work of its coder. */
    async wantExamination(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds set examine_at = ${now}, examine_tries = 0
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    /** Made twice, it is the same; what a reviewer's absence said stays. */
    async save(buildId: string, { notes, risk }: { notes: readonly GateNote[]; risk: Risk }): Promise<void> {
      await sql`
        update builds set examine_at = null, risk = ${JSON.stringify(risk)}::jsonb, risk_score = ${risk.score},
          gate = jsonb_build_object('notes', ${JSON.stringify(notes)}::jsonb || coalesce(
            (select jsonb_agg(n) from jsonb_array_elements(gate -> 'notes') n where n ->> 'kind' = 'review'), '[]'))
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async addNote(buildId: string, note: GateNote): Promise<void> {
      await sql`
        update builds set gate = jsonb_build_object('notes', coalesce(gate -> 'notes', '[]') || ${JSON.stringify([note])}::jsonb)
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },
  };
}

export interface DueExamination {
  build_id: string;
  brand_id: number;
  examine_tries: number;
}

/** For the pass, which works for every workspace. What is claimed is left alone until `leaseEnd`: whoever had it may be gone. */
export async function claimExaminations(
  db: Db,
  now: Date,
  leaseEnd: Date,
  limit: number,
): Promise<DueExamination[]> {
  const { rows } = await sql<DueExamination>`
    update builds set examine_tries = examine_tries + 1, examine_at = ${leaseEnd}
    where build_id in (
      select build_id from builds where examine_at <= ${now}
      order by examine_at limit ${limit} for update skip locked)
    returning build_id, brand_id, examine_tries`.execute(db);
  return rows;
}
