import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { findDatabaseUrl } from './database.js';
import { describeDesk, deskAddress } from './desks-names.js';
import { ask, forkProgram, nextMessage, readMemory, runBench, startService } from './processes.js';
import { reportRow } from './report.js';

const help = `npm run bench -- desks [options]

Polls a fleet of simulated desks with the real service: checks per second, CPU, rows written.

  --desks <n>      size of the fleet (10000)
  --seconds <n>    how long is measured (60)
  --warm-up <n>    seconds before that (45): the first checks make all desks ready`;

const { values: options } = parseArgs({
  options: {
    desks: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
    'warm-up': { type: 'string', default: '45' },
    help: { type: 'boolean', default: false },
  },
});

async function measure(dataDir: string): Promise<void> {
  const desks = Number(options.desks);
  const seconds = Number(options.seconds);
  const service = await startService(dataDir);
  const fleet = forkProgram('./desks-fleet.ts');
  const { port } = await nextMessage<{ port: number }>(fleet);
  const url = await findDatabaseUrl(dataDir);
  if (!url) throw new Error('The database of the service was not found');
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await fillFleet(database, desks, port);
  console.log(`${desks} desks are in place; warming up`);
  await wait(Number(options['warm-up']) * 1000);
  const { rows } = await database.query('select status, count(*)::int as desks from desks group by status');
  console.log(`after the warm-up: ${rows.map((row) => `${row.desks} ${row.status}`).join(', ')}`);

  const before = {
    cpu: await readCpu(service.pid),
    writes: await countWrites(database),
    checks: await ask<{ answered: number }>(fleet, {}),
  };
  await wait(seconds * 1000);
  const after = {
    cpu: await readCpu(service.pid),
    writes: await countWrites(database),
    checks: await ask<{ answered: number }>(fleet, {}),
  };

  const checks = after.checks.answered - before.checks.answered;
  reportRow('checks per second', `${(checks / seconds).toFixed(1)}`);
  reportRow('interval per desk', `${((desks * seconds) / checks).toFixed(1)} s`);
  reportRow('CPU of the service', `${(((after.cpu - before.cpu) / seconds) * 100).toFixed(1)} % of a core`);
  reportRow('rows written a minute', `${(((after.writes - before.writes) / seconds) * 60).toFixed(1)}`);
  reportRow('memory of the service', `${readMemory(service.pid).toFixed(0)} MiB`);
  await database.end();
}

async function fillFleet(database: pg.Client, desks: number, port: number): Promise<void> {
  const { rows } = await database.query(
    `insert into brands (name, plan, scope_ceiling, created_at) values ('Fleet', 'enterprise', '{}', now()) returning brand_id`,
  );
  const numbers = Array.from({ length: desks }, (_, n) => n + 1);
  await database.query(
    `insert into desks (desk_id, brand_id, short_id, name, runtime, workspace_path, created_at, updated_at, token_hash, status,
                        hello_at, installation_id, mesh_registered_at, sidecar_url, poll_slot)
     select d.id, $1, left(d.hash, 8), 'Desk', 'custom', '/srv', now(), now(), d.hash, 'provisioned',
            now(), 'machine-' || d.id, now(), d.url, floor(random() * 10000)
     from unnest($2::uuid[], $3::text[], $4::text[]) as d (id, hash, url)`,
    [
      rows[0].brand_id,
      numbers.map((n) => describeDesk(n).deskId),
      numbers.map((n) => describeDesk(n).tokenHash),
      numbers.map((n) => `http://${deskAddress(n)}:${port}`),
    ],
  );
}

/** Returns the processor time used so far, in seconds. */
async function readCpu(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function countWrites(database: pg.Client): Promise<number> {
  await database.query('select pg_stat_clear_snapshot()');
  const { rows } = await database.query(
    'select sum(n_tup_ins + n_tup_upd + n_tup_del)::int as writes from pg_stat_user_tables',
  );
  return rows[0].writes;
}

await runBench(options.help ? help : undefined, measure);
