import type { Db, Tx } from '../../platform/database/database.js';
import { projectStore } from './repository/projects.store.js';

/** For whoever changes the lessons of a project, in the same transaction: what was remembered of them is out of date. */
export const noteLessonsChanged = (tx: Db | Tx, brandId: number, projectId: string): Promise<void> =>
  projectStore(tx, brandId).noteLessonsChanged(projectId);
