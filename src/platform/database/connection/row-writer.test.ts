import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import { newId } from '../../../kernel/ids.js';
import { violatedConstraint } from '../schema/constraints.js';
import { copyRows, RowWriter } from './row-writer.js';
import { inTransaction } from './transaction.js';

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  await test.pool.query(`
    create table copied (
      id uuid constraint copied_once unique, small int, large bigint, told text, flag boolean)`);
});
beforeEach(() => test.pool.query('truncate copied'));
afterAll(() => test.drop());

interface Row {
  id: string;
  small: number | null;
  large: number | null;
  told: string | null;
  flag: boolean;
}

const target = 'copied (id, small, large, told, flag)';
const write = (rows: readonly Row[], expectedBytes?: number) => {
  const writer = new RowWriter(5, expectedBytes);
  for (const { id, small, large, told, flag } of rows)
    writer.row().uuid(id).integer(small).bigint(large).text(told).boolean(flag);
  return writer.finish();
};
const read = async () =>
  (await sql<Row>`select id, small, large, told, flag from copied order by id`.execute(test.db)).rows;

const row = (more: Partial<Row> = {}): Row => ({
  id: newId(),
  small: 1,
  large: 2,
  told: 'three',
  flag: true,
  ...more,
});

describe('copyRows', () => {
  it('adds rows as they were written', async () => {
    const rows = [
      row({ small: -2_147_483_648, large: -1 }),
      row({ small: 2_147_483_647, large: 2 ** 53 - 1, flag: false }),
      row({ small: null, large: null, told: null }),
      row({ told: '' }),
      row({ told: 'é€𝔘\u0001\t\\N\n"{,}' }),
      row({ id: 'ABCDEF01-2345-6789-abcd-ef0123456789'.toLowerCase() }),
    ].sort((one, other) => (one.id < other.id ? -1 : 1));
    await copyRows(test.db, target, write(rows));
    expect(await read()).toEqual(rows);
  });

  it('adds more than was expected', async () => {
    const rows = Array.from({ length: 500 }, (_, large) => row({ large, told: '€'.repeat(large) }));
    await copyRows(test.db, target, write(rows, 32));
    expect((await read()).map(({ told }) => told!.length).sort((one, other) => one - other)).toEqual(
      rows.map((_, length) => length),
    );
  });

  it('adds nothing when there is nothing to add', async () => {
    await copyRows(test.db, target, write([]));
    expect(await read()).toEqual([]);
  });

  it('adds none of them when one is refused, and the connection goes on', async () => {
    const [one, other] = [row(), row()];
    await copyRows(test.db, target, write([one]));
    const refused = await copyRows(test.db, target, write([other, one])).catch((error: unknown) => error);
    expect(violatedConstraint(refused)).toBe('copied_once');
    const broken = copyRows(test.db, target, write([{ ...other, told: 'a\0b' }]));
    await expect(broken).rejects.toThrow('invalid byte sequence');
    expect(await read()).toEqual([one]);
  });

  it('belongs to the transaction it is done in', async () => {
    const work = inTransaction(test.db, async (tx) => {
      await copyRows(tx, target, write([row()]));
      const { rows } = await sql`select from copied`.execute(tx);
      throw new Error(`${rows.length} inside`);
    });
    await expect(work).rejects.toThrow('1 inside');
    expect(await read()).toEqual([]);
  });
});
