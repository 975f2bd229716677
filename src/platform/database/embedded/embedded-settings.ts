import { appendFile, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterFolder } from './cluster-folder.js';

const SETTINGS_FILE = 'guildhall.conf';

const LAPTOP = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: 100,
  shared_buffers: '128MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  wal_level: 'minimal',
  max_wal_senders: 0,
  random_page_cost: 1.1,
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  // What clients get wrong is the client's to report; statements may carry what must not be kept in a log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_line_prefix: '%m [%p] ',
};

/** For databases that may be lost: tests and generated files. */
const SCRATCH = {
  // Many tests at once, each with a service of its own.
  max_connections: 400,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '48MB',
  max_wal_size: '256MB',
};

/** What the server was made with (how this machine shares memory, say) stays; these settings come after it and win. */
export const includeSettings = (dataFolder: string): Promise<void> =>
  appendFile(join(dataFolder, 'postgresql.conf'), `\ninclude '${SETTINGS_FILE}'\n`);

/** Written anew at every start, so that an older version's settings do not linger. */
export async function writeSettings(cluster: ClusterFolder, durable: boolean): Promise<void> {
  const settings = {
    ...LAPTOP,
    ...(durable ? {} : SCRATCH),
    unix_socket_directories: cluster.sockets,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quote(String(value))}`);
  const note = '# Written by Guildhall at every start; settings of your own go in by ALTER SYSTEM.';
  const file = join(cluster.data, SETTINGS_FILE);
  await writeFile(file, `${note}\n${lines.join('\n')}\n`);
  if (cluster.user) await chown(file, cluster.user.uid, cluster.user.gid);
}

const quote = (value: string) => `'${value.replaceAll("'", "''")}'`;
