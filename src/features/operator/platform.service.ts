import type { Clock } from '../../kernel/clock.js';
import { CursorCodec } from '../../kernel/cursor.js';
import type { Db } from '../../platform/database/database.js';
import { readJobStates } from '../../platform/jobs/job-runs.store.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import { listProfiles } from '../hires/index.js';
import type { IdentityService } from '../identity/index.js';
import { notACursor } from './operator.service.js';
import { readPlatformCounts } from './operator.store.js';

export interface PlatformOptions {
  db: Db;
  clock: Clock;
  identity: Pick<IdentityService, 'people'>;
  jobs: Pick<Jobs, 'describe'>;
  version: string;
  role: 'web' | 'worker' | 'all';
  cursorSecret: string;
}

export type PlatformService = ReturnType<typeof createPlatformService>;

const BYTES_OF_MB = 1024 * 1024;

export function createPlatformService(options: PlatformOptions) {
  const { db, clock, identity, jobs, version, role, cursorSecret } = options;
  const startedAt = clock.now();

  return {
    async listUsers({ query: q, limit, cursor }: { query?: string; limit: number; cursor?: string }) {
      const places = new CursorCodec(cursorSecret, 'users');
      const after = cursor === undefined ? 0 : places.decode(cursor);
      if (typeof after !== 'number') throw notACursor();
      const [rows, total] = await Promise.all([
        identity.people.list({ q, after, limit: limit + 1 }),
        identity.people.count(q),
      ]);
      const page = rows.slice(0, limit);
      const hasMore = rows.length > limit;
      return {
        users: page.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
        total,
        next_cursor: hasMore ? places.encode(page.at(-1)!.user_id) : null,
      };
    },

    async listCatalog() {
      const employees = await listProfiles(db);
      return { employees, total: employees.length };
    },

    async listJobs() {
      const stateOf = await readJobStates(db);
      const known = jobs.describe().map((job) => ({ ...job, ...stateOf(job.name) }));
      return { jobs: known, total: known.length };
    },

    async readOverview() {
      const counts = await readPlatformCounts(db, clock.now());
      const { workspaces, people, open_builds, size_bytes, connections } = counts;
      return {
        version,
        started_at: startedAt.toISOString(),
        uptime_seconds: Math.max(0, Math.floor((clock.now().getTime() - startedAt.getTime()) / 1000)),
        role,
        workspaces,
        people,
        open_builds,
        desks: {
          ready: counts.desks_ready,
          unreachable: counts.desks_unreachable,
          total: counts.desks_total,
        },
        queue: { waiting: counts.queue_waiting, oldest_seconds: counts.oldest_seconds },
        database: { size_bytes, connections },
        memory_mb: Math.round(process.memoryUsage.rss() / BYTES_OF_MB),
      };
    },
  };
}
