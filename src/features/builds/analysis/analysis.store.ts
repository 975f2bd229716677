import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { BuildRow } from '../record/builds.store.js';
import { type Analysis, type GateNote, type Risk, withReason } from '../review.schemas.js';

export function analysisStore(db: Db | Tx, brandId: number) {
  return {
    async requestAnalysis(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds set examine_at = ${now}, examine_tries = 0
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

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

export const dueAnalyses = (db: Db) => ({
  /** Claims the oldest due build of the next workspace. The lease lets another process take over if this one dies. */
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

const RISK = { reason: 'the setup of its checks failed', points: 30 };

/** The caller holds the build's lock. A change that is not analyzed yet gets its risk later. */
export async function noteFailedSetup(tx: Tx, build: BuildRow, text: string): Promise<void> {
  const store = analysisStore(tx, build.brand_id);
  await store.addNote(build.build_id, { kind: 'setup_failed', text });
  if (build.risk) await store.saveRisk(build.build_id, withReason(build.risk, RISK));
}

const ADDED_BY_OTHERS: readonly GateNote['kind'][] = ['setup_failed', 'review'];

/** Keeps the notes that others added, so that a second analysis gives the same result. */
export function withAddedNotes({ notes, risk }: Analysis, before: readonly GateNote[]): Analysis {
  const added = before.filter(({ kind }) => ADDED_BY_OTHERS.includes(kind));
  const failed = added.some(({ kind }) => kind === 'setup_failed');
  return { notes: [...notes, ...added], risk: failed ? withReason(risk, RISK) : risk };
}
