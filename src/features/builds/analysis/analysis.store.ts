import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Analysis, GateNote, Risk } from '../analysis.schemas.js';

/** What is known of the changes of builds of one workspace. */
export function gateStore(db: Db | Tx, brandId: number) {
  return {
    /** In the transaction that ends the work of its coder. */
    async wantExamination(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds set examine_at = ${now}, examine_tries = 0
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    /** The notes so far; nobody adds one until the transaction ends. */
    async lockNotes(buildId: string): Promise<GateNote[]> {
      const { rows } = await sql<{ notes: GateNote[] | null }>`
        select gate -> 'notes' as notes from builds
        where brand_id = ${brandId} and build_id = ${buildId} for no key update`.execute(db);
      return rows[0]?.notes ?? [];
    },

    async save(buildId: string, { notes, risk }: Analysis): Promise<void> {
      await sql`
        update builds set examine_at = null, risk = ${JSON.stringify(risk)}::jsonb, risk_score = ${risk.score},
          gate = ${JSON.stringify({ notes })}::jsonb
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async saveRisk(buildId: string, risk: Risk): Promise<void> {
      await sql`
        update builds set risk = ${JSON.stringify(risk)}::jsonb, risk_score = ${risk.score}
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async addNote(buildId: string, note: GateNote): Promise<void> {
      await sql`
        update builds set gate = jsonb_build_object('notes', coalesce(gate -> 'notes', '[]') || ${JSON.stringify([note])}::jsonb)
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },
  };
}

export interface DueAnalysis {
  build_id: string;
  brand_id: number;
  examine_tries: number;
}

/** For the pass, which works for every workspace. */
export const dueAnalyses = (db: Db) => ({
  /**
   * Claims the oldest due build of the first workspace after `after` that is none of `busy`. Other passes leave it alone until
   * `leaseEnd`, in case this process dies.
   */
  async claimNext(
    { after, busy }: { after: number; busy: readonly number[] },
    now: Date,
    leaseEnd: Date,
  ): Promise<DueAnalysis | undefined> {
    const { rows } = await sql<DueAnalysis>`
      update builds set examine_tries = examine_tries + 1, examine_at = ${leaseEnd}
      where build_id = (
        select build_id from builds
        where examine_at <= ${now} and brand_id > ${after} and brand_id <> all(${[...busy]}::int[])
        order by brand_id, examine_at limit 1 for update skip locked)
      returning build_id, brand_id, examine_tries`.execute(db);
    return rows[0];
  },
});
