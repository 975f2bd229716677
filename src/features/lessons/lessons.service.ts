import type { Db } from '../../database/database.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Embedder } from '../../services/embedder.js';
import type { Jobs } from '../../services/jobs.js';
import type { ProjectService } from '../projects/projects.service.js';
import { AnchoredMemory } from './anchored-memory.js';
import { createImpactService } from './impact.service.js';
import { createNearService } from './near.service.js';
import { createSearchService } from './search.service.js';
import { createSimilarityService } from './similarity.service.js';
import { createSyncService } from './sync.service.js';

export interface LessonDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  embedder: Embedder;
  projects: ProjectService;
}

export type LessonService = ReturnType<typeof createLessonService>;

export function createLessonService(deps: LessonDeps) {
  const similarity = createSimilarityService(deps);
  const anchored = new AnchoredMemory(deps.db);
  return {
    ...createNearService({ ...deps, anchored }),
    ...createSearchService({ ...deps, anchored }),
    ...createSyncService({ ...deps, similarity }),
    ...createImpactService(deps),
    findSimilar: similarity.findSimilar,
    embedWaiting: similarity.embedWaiting,
  };
}
