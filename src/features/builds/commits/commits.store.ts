import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { DiffStat } from '../builds.schemas.js';

export function commitStore(db: Db | Tx, brandId: number) {
  const isOwn = (buildId: string) =>
    sql`exists (select from builds b where b.build_id = ${buildId} and b.brand_id = ${brandId})`;
  return {
    async saveHead(buildId: string, head: string, diff: DiffStat): Promise<void> {
      await sql`
        update builds set head_sha = ${head}, diff = ${JSON.stringify(diff)}::jsonb
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async clearBundle(buildId: string): Promise<void> {
      await sql`delete from build_bundles where build_id = ${buildId} and ${isOwn(buildId)}`.execute(db);
    },

    async addPart(buildId: string, part: number, bytes: Buffer): Promise<void> {
      await sql`
        insert into build_bundles (build_id, part, bytes)
        select ${buildId}, ${part}::int, ${bytes}::bytea where ${isOwn(buildId)}`.execute(db);
    },

    async findPart(buildId: string, part: number): Promise<Buffer | undefined> {
      const { rows } = await sql<{ bytes: Buffer }>`
        select p.bytes from build_bundles p join builds b using (build_id)
        where b.brand_id = ${brandId} and p.build_id = ${buildId} and p.part = ${part}`.execute(db);
      return rows[0]?.bytes;
    },
  };
}
