import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { FileProgress } from './session-files.js';

export const SOURCE_TYPES = ['openclaw', 'agentboard', 'claude_code', 'codex'] as const;
/** Builds create conversations without a source. */
export const CONVERSATION_TYPES = [...SOURCE_TYPES, 'build'] as const;
export type ConversationType = (typeof CONVERSATION_TYPES)[number];
export type SourceType = (typeof SOURCE_TYPES)[number];

export interface SourceRow {
  source_id: string;
  brand_id: number;
  agent_id: string;
  source_type: SourceType;
  config: Record<string, unknown>;
  enabled: boolean;
  read_until: Date | null;
  last_picked_up_at: Date | null;
  error: string | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = sql`source_id, brand_id, agent_id, source_type, config, enabled, read_until, last_picked_up_at, error,
  created_at, updated_at`;

export function sourceStore(db: Db, brandId: number) {
  return {
    /** Serializes adding sources to a workspace, so that the plan's limit holds. */
    async countLocked(): Promise<number> {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`memory-sources:${brandId}`}, 0))`.execute(
        db,
      );
      const { rows } = await sql<{
        count: number;
      }>`select count(*) as count from memory_sources where brand_id = ${brandId}`.execute(db);
      return rows[0]!.count;
    },

    async insert(
      source: Pick<SourceRow, 'source_id' | 'agent_id' | 'source_type' | 'config' | 'enabled'>,
      now: Date,
    ): Promise<SourceRow> {
      const { rows } = await sql<SourceRow>`
        insert into memory_sources (source_id, brand_id, agent_id, source_type, config, enabled, created_at, updated_at)
        values (${source.source_id}, ${brandId}, ${source.agent_id}, ${source.source_type}, ${JSON.stringify(source.config)}::jsonb,
          ${source.enabled}, ${now}, ${now})
        returning ${COLUMNS}`.execute(db);
      return rows[0]!;
    },

    async list(agentId: string | undefined): Promise<SourceRow[]> {
      const { rows } = await sql<SourceRow>`
        select ${COLUMNS} from memory_sources
        where brand_id = ${brandId} and (${agentId ?? null}::text is null or agent_id = ${agentId ?? null})
        order by created_at, source_id`.execute(db);
      return rows;
    },

    async find(sourceId: string): Promise<SourceRow | undefined> {
      const { rows } = await sql<SourceRow>`
        select ${COLUMNS} from memory_sources where source_id = ${sourceId} and brand_id = ${brandId}`.execute(
        db,
      );
      return rows[0];
    },

    async change(
      sourceId: string,
      changes: { config?: object; enabled?: boolean },
      now: Date,
    ): Promise<SourceRow | undefined> {
      const { rows } = await sql<SourceRow>`
        update memory_sources set
          config = coalesce(${changes.config ? JSON.stringify(changes.config) : null}::jsonb, config),
          enabled = coalesce(${changes.enabled ?? null}, enabled),
          updated_at = ${now}
        where source_id = ${sourceId} and brand_id = ${brandId}
        returning ${COLUMNS}`.execute(db);
      return rows[0];
    },

    async remove(sourceId: string): Promise<boolean> {
      const { rows } = await sql`
        delete from memory_sources where source_id = ${sourceId} and brand_id = ${brandId} returning source_id`.execute(
        db,
      );
      return rows.length > 0;
    },
  };
}

/** For the background job, over all workspaces. */
export function sourceQueue(db: Db) {
  return {
    async listEnabledIds(): Promise<string[]> {
      const { rows } = await sql<{ source_id: string }>`
        select source_id from memory_sources where enabled order by last_picked_up_at nulls first, source_id`.execute(
        db,
      );
      return rows.map((row) => row.source_id);
    },

    /** Undefined when another node is reading it, or it was deleted. */
    async claim(tx: Tx, sourceId: string): Promise<SourceRow | undefined> {
      const { rows } = await sql<SourceRow>`
        select ${COLUMNS} from memory_sources where source_id = ${sourceId} and enabled for update skip locked`.execute(
        tx,
      );
      return rows[0];
    },

    async recordReading(
      tx: Db,
      sourceId: string,
      reading: { error: string | null; readUntil?: Date | null },
      now: Date,
    ): Promise<void> {
      await sql`
        update memory_sources set last_picked_up_at = ${now}, error = ${reading.error},
          read_until = coalesce(${reading.readUntil ?? null}, read_until)
        where source_id = ${sourceId}`.execute(tx);
    },
  };
}

interface FileRow {
  path: string;
  read_bytes: number;
  head_bytes: number;
  head_hash: string;
}

export function fileProgressStore(
  db: Db,
  { agent_id, source_type }: Pick<SourceRow, 'agent_id' | 'source_type'>,
) {
  return {
    /** By path; limited to several times the number of files that a source may have. */
    async list(): Promise<Map<string, FileProgress>> {
      const { rows } = await sql<FileRow>`
        select path, read_bytes, head_bytes, head_hash from memory_source_files
        where agent_id = ${agent_id} and source_type = ${source_type}
        order by path limit 50000`.execute(db);
      return new Map(
        rows.map((row) => [
          row.path,
          { readBytes: row.read_bytes, headBytes: row.head_bytes, headHash: row.head_hash },
        ]),
      );
    },

    async save(path: string, progress: FileProgress): Promise<void> {
      await sql`
        insert into memory_source_files (agent_id, source_type, path, read_bytes, head_bytes, head_hash)
        values (${agent_id}, ${source_type}, ${path}, ${progress.readBytes}, ${progress.headBytes}, ${progress.headHash})
        on conflict (agent_id, source_type, path) do update set
          read_bytes = excluded.read_bytes, head_bytes = excluded.head_bytes, head_hash = excluded.head_hash`.execute(
        db,
      );
    },
  };
}
