import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import type { Tx } from '../database.js';
import { violatedConstraint } from './database-errors.js';
import { afterCommit, inTransaction } from './transaction.js';

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  await test.pool.query(`
    create extension if not exists btree_gist;
    create table owners (id int constraint owners_pkey primary key);
    create table things (
      id int constraint things_id_unique unique,
      owner int constraint things_owner_known references owners,
      size int constraint things_size_positive check (size > 0),
      constraint things_apart exclude using gist (owner with =)
    )`);
});

beforeEach(() => test.pool.query('truncate things, owners; insert into owners values (1), (2)'));

afterAll(() => test.drop());

const countThings = async () => (await test.pool.query('select count(*) from things')).rows[0].count;

describe('inTransaction', () => {
  it('commits and returns the result', async () => {
    const result = await inTransaction(test.db, async (tx) => {
      await sql`insert into things (id) values (1)`.execute(tx);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await countThings()).toBe(1);
  });

  it('rolls back when the work throws', async () => {
    const work = inTransaction(test.db, async (tx) => {
      await sql`insert into things (id) values (1)`.execute(tx);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await countThings()).toBe(0);
  });

  it('joins an open transaction', async () => {
    const work = inTransaction(test.db, async (tx) => {
      await inTransaction(tx, (inner) => sql`insert into things (id) values (1)`.execute(inner));
      throw new Error('outer');
    });
    await expect(work).rejects.toThrow('outer');
    expect(await countThings()).toBe(0);
  });

  it('runs each afterCommit function once after the outermost commit, and none after a rollback', async () => {
    const seen: number[] = [];
    const look = async () => void seen.push(Number(await countThings()));
    const insert = (id: number, inside: Tx | typeof test.db) =>
      inTransaction(inside, async (tx) => {
        await sql`insert into things (id) values (${id})`.execute(tx);
        afterCommit(tx, look);
      });
    await inTransaction(test.db, async (tx) => {
      await insert(1, tx);
      await insert(2, tx);
      expect(seen).toEqual([]);
    });
    expect(seen).toEqual([2]);
    await test.atomically(async () => {
      await insert(3, test.db);
      expect(seen).toEqual([2]);
    });
    expect(seen).toEqual([2, 3]);
    const thrown = inTransaction(test.db, async (tx) => {
      await insert(4, tx);
      throw new Error('changed my mind');
    });
    await expect(thrown).rejects.toThrow('changed my mind');
    expect(seen).toEqual([2, 3]);
  });

  it('retries after a deadlock', async () => {
    let attempts = 0;
    let arrived = 0;
    let open = () => {};
    const bothHoldOne = new Promise<void>((resolve) => {
      open = resolve;
    });
    const lock = (tx: Tx, id: number) => sql`select from owners where id = ${id} for update`.execute(tx);
    const cross = (first: number, second: number) =>
      inTransaction(test.db, async (tx) => {
        attempts += 1;
        await sql`set local deadlock_timeout = '20ms'`.execute(tx);
        await lock(tx, first);
        arrived += 1;
        if (arrived === 2) open();
        await bothHoldOne;
        await lock(tx, second);
        return 'done';
      });
    expect(await Promise.all([cross(1, 2), cross(2, 1)])).toEqual(['done', 'done']);
    expect(attempts).toBe(3);
  });

  it('gives up after three retries', async () => {
    let attempts = 0;
    const work = inTransaction(test.db, async (tx) => {
      attempts += 1;
      await sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`.execute(tx);
    });
    await expect(work).rejects.toThrow('again');
    expect(attempts).toBe(4);
  });

  it('retries when a prepared statement no longer fits its table', async () => {
    await test.pool.query('create table shifting as select 1 as a');
    const ask = () =>
      inTransaction(test.db, async (tx) => (await sql`select * from shifting`.execute(tx)).rows);
    await Promise.all(Array.from({ length: 20 }, ask));
    await ask();
    await test.pool.query('alter table shifting add column b int default 2');
    expect(await ask()).toEqual([{ a: 1, b: 2 }]);
  });
});

describe('violatedConstraint', () => {
  const violate = async (values: string) =>
    violatedConstraint(
      await test.pool
        .query(`insert into things values (1, 1, 1), (${values})`)
        .catch((error: unknown) => error),
    );

  it('returns the name of the constraint, of any kind', async () => {
    expect(await violate('1, null, null')).toBe('things_id_unique');
    expect(await violate('2, 99, null')).toBe('things_owner_known');
    expect(await violate('2, null, 0')).toBe('things_size_positive');
    expect(await violate('2, 1, null')).toBe('things_apart');
  });
});
