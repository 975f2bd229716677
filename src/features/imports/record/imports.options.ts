import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { BoardService } from '../../boards/index.js';
import type { Forge } from '../../forges/index.js';

export interface ConnectedHost {
  kind: string;
  repository: string;
  forge: Pick<Forge, 'listIssues' | 'listComments'>;
}

export interface ImportOptions {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Pick<Jobs, 'trigger'>;
  cursorSecret: string;
  boards: Pick<BoardService, 'arrivals'>;
  findHost(brandId: number, projectId: string): Promise<ConnectedHost | undefined>;
}
