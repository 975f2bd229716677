import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../../platform/database/database.js';
import type { Embedder } from '../../platform/encoder/embedder.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import type { WebhookOutbox } from '../../platform/outbox/outbox.js';
import type { ProjectService } from '../projects/index.js';
import { cacheAnchoredLessons, createLookupService } from './near/lookup.service.js';
import { createMapService } from './near/map.service.js';
import { createNearService } from './near/near.service.js';
import { createSearchService } from './near/search.service.js';
import { createSyncService } from './records/sync.service.js';
import { createSimilarityService } from './similar/similarity.service.js';

interface LessonDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  outbox: Pick<WebhookOutbox, 'record'>;
  embedder: Embedder;
  projects: ProjectService;
  cursorSecret: string;
}

export type LessonService = ReturnType<typeof createLessonService>;

export function createLessonService(deps: LessonDeps) {
  const similarity = createSimilarityService(deps);
  const anchored = cacheAnchoredLessons(deps.db);
  return {
    ...createNearService({ ...deps, anchored }),
    ...createMapService({ ...deps, anchored }),
    ...createSearchService(deps),
    ...createLookupService({ ...deps, anchored }),
    ...createSyncService({ ...deps, similarity }),
    findSimilar: similarity.findSimilar,
    embedWaiting: similarity.embedWaiting,
  };
}
