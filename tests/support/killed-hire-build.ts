/**
 * A worker that dies in the middle of a build. It runs as a separate process because it kills itself:
 * `<connection as JSON> <agents folder> <hire id> <step before which it dies>`.
 */

import { createAgentWorkspaces, createHireBuilder } from '../../src/features/hires/hire-building.js';
import { systemClock } from '../../src/kernel/clock.js';
import { silentLog } from '../../src/kernel/log.js';
import { connectDatabase } from '../../src/platform/database/connection/connection.js';

const [connection = '', agentsDir = '', hireId = '', diesBefore = ''] = process.argv.slice(2);

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}

const { db } = connectDatabase({
  connection: JSON.parse(connection),
  poolSize: 2,
  applicationName: 'guildhall-killed',
  log: silentLog,
});
const workspaces = createAgentWorkspaces(agentsDir);
const builder = createHireBuilder({
  db,
  clock: systemClock,
  log: silentLog,
  outbox: { record: async () => {} },
  desks: {
    orderDesk: async () => (diesBefore === 'desk' ? die() : { deskId: hireId }),
  },
  workspaces: {
    ...workspaces,
    async set(configuration) {
      if (diesBefore === 'workspace') die();
      await workspaces.set(configuration);
      if (diesBefore === 'commit') die();
    },
  },
});
await builder.build(hireId, false);
process.exit(0);
