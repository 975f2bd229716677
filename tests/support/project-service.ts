import { createProjectService, type ProjectDeps } from '../../src/features/projects/projects.service.js';
import { silentLog } from '../../src/kernel/log.js';
import { createSessionLocks } from '../../src/platform/database/connection/session-locks.js';
import { createSecretBox } from '../../src/platform/secrets/secret-box.js';
import type { CodeWorld } from './code-world.js';

/** A second project service on the same world, with its own threads. */
export function secondProjectService(
  { world }: CodeWorld,
  own: Pick<ProjectDeps, 'startCodeThread' | 'comparisonMs'>,
) {
  const { app, config, db, clock } = world;
  const locks = createSessionLocks({ connection: world.database.connection, log: silentLog });
  const projects = createProjectService({
    db,
    clock,
    log: silentLog,
    jobs: app.jobs,
    notifications: app.notifications,
    locks,
    secrets: createSecretBox(['a key']),
    address: world.database,
    isStillValid: async () => true,
    requireStillAdmin: async () => {},
    repositoriesDir: config.repositoriesDir,
    mirrorsDir: config.dataDir,
    gitNetworks: config.gitNetworks,
    ...own,
  });
  const close = async () => {
    await projects.close();
    await locks.close();
  };
  return { projects, close };
}
