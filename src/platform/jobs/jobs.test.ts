import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.js';
import { type Log, silentLog } from '../../kernel/log.js';
import { createJobs, type JobDefinition, type Jobs } from './jobs.js';

let database: TestDatabase;
const running: Jobs[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const jobs of running.splice(0)) await jobs.stop();
  await database.pool.query('delete from graphile_worker._private_jobs');
});
afterAll(() => database.drop());

function jobsOf(
  definitions: JobDefinition[],
  options: { log?: Log; stopTimeoutMs?: number; pollIntervalMs?: number } = {},
): Jobs {
  const jobs = createJobs({ pool: database.pool, log: silentLog, ...options });
  jobs.register(definitions);
  running.push(jobs);
  return jobs;
}

/** A job run that reports its start and ends when the test says so. */
function controlledRun(name: string) {
  const begun: (() => void)[] = [];
  const runs: { signal: AbortSignal; end: (error?: Error) => void }[] = [];
  const definition: JobDefinition = {
    name,
    run: ({ signal }) =>
      new Promise((resolve, reject) => {
        runs.push({
          signal,
          end: (error) => (error ? reject(error) : resolve({ processed: 1, failed: 0 })),
        });
        for (const notify of begun.splice(0)) notify();
      }),
  };
  const hasBegun = async (count: number) => {
    while (runs.length < count) await new Promise<void>((resolve) => begun.push(resolve));
    return runs[count - 1]!;
  };
  return { definition, passes: runs, hasBegun };
}

const queued = async (name: string): Promise<number> => {
  const { rows } = await database.pool.query(
    'select count(*)::int as n from graphile_worker.jobs where task_identifier = $1',
    [name],
  );
  return rows[0].n;
};

/** Polls the database without a fixed pause. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

describe('Running a job now', () => {
  it('waits for the run and returns its result', async () => {
    const jobs = jobsOf([{ name: 'sweep', run: async () => ({ processed: 3, failed: 1 }) }]);
    expect(await jobs.runNow('sweep')).toEqual({ processed: 3, failed: 1 });
  });

  it('accepts only registered names', async () => {
    const run = async () => ({ processed: 0, failed: 0 });
    const jobs = jobsOf([
      { name: 'b', run },
      { name: 'a', run },
    ]);
    expect(jobs.names()).toEqual(['a', 'b']);
    expect(await jobs.runNow('c')).toBeUndefined();
    expect(await jobs.runNow('constructor')).toBeUndefined();
    await expect(jobs.trigger(database.db, 'c')).rejects.toThrow('No job is called c');
    expect(() => jobs.register([{ name: 'a', run }])).toThrow('Two jobs are called a');
  });

  it('throws and logs the error of the run', async () => {
    const errors: unknown[] = [];
    const log: Log = { ...silentLog, error: (fields) => void errors.push(fields) };
    const broken = new Error('broken');
    const jobs = jobsOf([{ name: 'sweep', run: () => Promise.reject(broken) }], { log });
    await expect(jobs.runNow('sweep')).rejects.toThrow('broken');
    expect(errors).toEqual([{ job: 'sweep', err: broken }]);
  });

  it('runs jobs of one name in sequence, and others concurrently', async () => {
    const sweep = controlledRun('sweep');
    const jobs = jobsOf([
      sweep.definition,
      { name: 'other', run: async () => ({ processed: 0, failed: 0 }) },
    ]);
    const [first, second] = [jobs.runNow('sweep'), jobs.runNow('sweep')];
    await sweep.hasBegun(1);
    await jobs.runNow('other');
    expect(sweep.passes).toHaveLength(1);
    sweep.passes[0]!.end();
    await first;
    (await sweep.hasBegun(2)).end();
    await second;
  });
});

describe('Triggering a job', () => {
  it('starts it after the commit', async () => {
    const sweep = controlledRun('sweep');
    const jobs = jobsOf([sweep.definition]);
    await jobs.start();
    await database.db.transaction().execute(async (tx) => {
      await jobs.trigger(tx, 'sweep');
      await jobs.trigger(tx, 'sweep');
      expect(sweep.passes).toHaveLength(0);
    });
    (await sweep.hasBegun(1)).end();
    (await Promise.race([sweep.hasBegun(2), until(async () => (await queued('sweep')) === 0)]))?.end();
    await until(async () => (await queued('sweep')) === 0);
  });

  it('does nothing when the transaction is rolled back', async () => {
    const jobs = jobsOf([controlledRun('sweep').definition]);
    const rollback = new Error('rollback');
    const attempt = database.db.transaction().execute(async (tx) => {
      await jobs.trigger(tx, 'sweep');
      throw rollback;
    });
    await expect(attempt).rejects.toBe(rollback);
    expect(await queued('sweep')).toBe(0);
  });

  it('several times during a run starts one more run', async () => {
    const sweep = controlledRun('sweep');
    const jobs = jobsOf([sweep.definition]);
    await jobs.start();
    await jobs.trigger(database.db, 'sweep');
    await sweep.hasBegun(1);
    await Promise.all(Array.from({ length: 50 }, () => jobs.trigger(database.db, 'sweep')));
    // One job belongs to the active run and one to the waiting run. The others were merged into it.
    await until(async () => (await queued('sweep')) === 2);
    sweep.passes[0]!.end();
    (await sweep.hasBegun(2)).end();
    await until(async () => (await queued('sweep')) === 0);
    expect(sweep.passes).toHaveLength(2);
  });

  it('never makes one transaction wait for another', async () => {
    const jobs = jobsOf([controlledRun('sweep').definition]);
    await database.db.transaction().execute(async (outer) => {
      await jobs.trigger(outer, 'sweep');
      await database.db.transaction().execute((inner) => jobs.trigger(inner, 'sweep'));
    });
    expect(await queued('sweep')).toBe(2);
  });

  it('retries after a failure and stores the reason', async () => {
    const sweep = controlledRun('sweep');
    const jobs = jobsOf([sweep.definition]);
    await jobs.start();
    await jobs.trigger(database.db, 'sweep');
    (await sweep.hasBegun(1)).end(new Error('the disk is full'));
    const failedJob = async () => {
      const { rows } = await database.pool.query(
        "select last_error, attempts, run_at > created_at as later from graphile_worker.jobs where task_identifier = 'sweep' and locked_at is null",
      );
      return rows[0];
    };
    await until(async () => (await failedJob())?.attempts === 1);
    expect(await failedJob()).toMatchObject({
      last_error: expect.stringContaining('the disk is full'),
      later: true,
    });
    await database.pool.query(
      'select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs), now())',
    );
    await jobs.trigger(database.db, 'sweep');
    (await sweep.hasBegun(2)).end();
  });

  it('runs it once with several nodes', async () => {
    let served = 0;
    const run = async () => {
      served += 1;
      return { processed: 1, failed: 0 };
    };
    const nodes = Array.from({ length: 3 }, () => jobsOf([{ name: 'sweep', run }]));
    for (const node of nodes) await node.start();
    await nodes[0]!.trigger(database.db, 'sweep');
    await until(async () => served > 0 && (await queued('sweep')) === 0);
    expect(served).toBe(1);
  });
});

describe('Job schedules', () => {
  it('register a cron schedule once in the database', async () => {
    const definition: JobDefinition = {
      name: 'nightly',
      schedule: { cron: '0 3 * * *' },
      run: async () => ({ processed: 0, failed: 0 }),
    };
    for (let node = 0; node < 2; node += 1) await jobsOf([definition]).start();
    await until(async () => {
      const { rows } = await database.pool.query(
        "select * from graphile_worker._private_known_crontabs where identifier = 'nightly'",
      );
      return rows.length === 1;
    });
  });

  const nightly: JobDefinition = {
    name: 'patient',
    schedule: { cron: '0 3 * * *' },
    run: async () => ({ processed: 0, failed: 0 }),
  };

  /** Fails queries about schedules, like a cluster member that is not promoted yet. */
  function refuseSchedules() {
    const refusals = { refused: 0, goesOn: true };
    const { query } = database.pool;
    const spy = vi.spyOn(database.pool, 'query').mockImplementation(((text: string, values: unknown[]) => {
      if (!refusals.goesOn || !text.includes('known_crontabs'))
        return (query as (...asked: unknown[]) => unknown).call(database.pool, text, values);
      refusals.refused += 1;
      return Promise.reject(new Error('cannot execute INSERT in a read-only transaction'));
    }) as never);
    return Object.assign(refusals, { end: () => spy.mockRestore() });
  }

  it('retry a cron schedule that cannot be written, without delaying other jobs', async () => {
    const refusals = refuseSchedules();
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, message: string) => warnings.push(message) } as Log;
    const { definition, hasBegun } = controlledRun('meanwhile');
    const jobs = jobsOf([nightly, definition], { log });
    await jobs.start();
    await until(async () => refusals.refused > 0);
    await jobs.trigger(database.db, 'meanwhile');
    (await hasBegun(1)).end();
    refusals.goesOn = false;
    await until(async () => {
      const { rows } = await database.pool.query(
        "select * from graphile_worker._private_known_crontabs where identifier = 'patient'",
      );
      return rows.length === 1;
    });
    refusals.end();
    expect(warnings).toContain(
      'The schedule of background work cannot be read or written; it is tried again',
    );
  });

  it('stop even while a cron schedule cannot be written', async () => {
    const refusals = refuseSchedules();
    const jobs = jobsOf([nightly]);
    await jobs.start();
    await until(async () => refusals.refused > 0);
    await jobs.stop();
    refusals.end();
  });

  it('reject an invalid cron schedule at the start', async () => {
    const jobs = jobsOf([
      { name: 'x', schedule: { cron: 'every day' }, run: async () => ({ processed: 0, failed: 0 }) },
    ]);
    await expect(jobs.start()).rejects.toThrow();
  });

  it('run an interval job repeatedly until the stop, also after a failure', async () => {
    let passes = 0;
    let thirdPass = () => {};
    const third = new Promise<void>((resolve) => {
      thirdPass = resolve;
    });
    const jobs = jobsOf([
      {
        name: 'often',
        schedule: { everySeconds: 0.01 },
        run: async () => {
          passes += 1;
          if (passes === 3) thirdPass();
          if (passes === 1) throw new Error('once');
          return { processed: 1, failed: 0 };
        },
      },
    ]);
    await jobs.start();
    await third;
    await jobs.stop();
    const after = passes;
    await new Promise((resolve) => setImmediate(resolve));
    expect(passes).toBe(after);
  });
});

describe('Job with atStart', () => {
  it('runs once at the start, and other jobs do not', async () => {
    const [leftBehind, sweep] = [controlledRun('left-behind'), controlledRun('sweep')];
    const jobs = jobsOf([{ ...leftBehind.definition, atStart: true }, sweep.definition]);
    await jobs.start();
    (await leftBehind.hasBegun(1)).end();
    await jobs.stop();
    expect([leftBehind.passes.length, sweep.passes.length]).toEqual([1, 0]);
  });
});

describe('Stopping', () => {
  it('waits for the active run', async () => {
    const sweep = controlledRun('sweep');
    const jobs = jobsOf([sweep.definition]);
    await jobs.start();
    await jobs.trigger(database.db, 'sweep');
    const pass = await sweep.hasBegun(1);
    let stopped = false;
    const stopping = jobs.stop().then(() => {
      stopped = true;
    });
    await queued('sweep');
    expect(stopped).toBe(false);
    pass.end();
    await stopping;
    expect(await queued('sweep')).toBe(0);
    expect(pass.signal.aborted).toBe(false);
  });

  it('aborts a run that takes too long', async () => {
    const sweep = controlledRun('sweep');
    const jobs = jobsOf([sweep.definition], { stopTimeoutMs: 20 });
    await jobs.start();
    const result = jobs.runNow('sweep');
    const pass = await sweep.hasBegun(1);
    pass.signal.addEventListener('abort', () => pass.end());
    await jobs.stop();
    expect(await result).toEqual({ processed: 1, failed: 0 });
  });
});

describe('Lost database', () => {
  const loseConnections = () =>
    database.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );

  // The pool may still return a connection that the server has closed.
  const triggerAgain = (jobs: Jobs) =>
    until(() =>
      jobs.trigger(database.db, 'sweep').then(
        () => true,
        () => false,
      ),
    );

  it('jobs continue when the connection is back', async () => {
    const sweep = controlledRun('sweep');
    const jobs = jobsOf([sweep.definition], { pollIntervalMs: 100 });
    await jobs.start();
    await jobs.trigger(database.db, 'sweep');
    (await sweep.hasBegun(1)).end();
    await until(async () => (await queued('sweep')) === 0);
    await loseConnections();
    await triggerAgain(jobs);
    (await sweep.hasBegun(2)).end();
  });
});
