import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../../platform/database/database.js';
import type { Embedder } from '../../platform/encoder/embedder.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import type { WebhookOutbox } from '../../platform/outbox/webhook-outbox.js';
import type { ProjectService } from '../projects/index.js';
import { createImpactService } from './impact.service.js';
import { createMapService } from './map/map.service.js';
import { cacheAnchoredLessons } from './near/anchored-lessons.js';
import { createNearService } from './near/near.service.js';
import { createSyncService } from './records/sync.service.js';
import { createListService } from './search/list.service.js';
import { createLookupService } from './search/lookup.service.js';
import { createSearchService } from './search/search.service.js';
import { createSimilarityService } from './similar/similarity.service.js';

export interface LessonDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  outbox: Pick<WebhookOutbox, 'tell'>;
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
    ...createListService(deps),
    ...createLookupService({ ...deps, anchored }),
    ...createSyncService({ ...deps, similarity }),
    ...createImpactService(deps),
    findSimilar: similarity.findSimilar,
    embedWaiting: similarity.embedWaiting,
  };
}
