import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.js';
import { recordAudit } from './audit.js';

describe('Audit log', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const at = new Date('2026-11-14T09:30:00.000Z');
  const rows = async () => (await database.pool.query('select * from audit_log order by audit_id')).rows;

  it('records actor, action, subject, time and request', async () => {
    await recordAudit(database.db, {
      brandId: null,
      actor: { kind: 'operator' },
      action: 'brand.created',
      subject: 'brand:1',
      details: { name: 'O\'Hara "quoted"' },
      at,
      requestId: 'req-1',
    });
    expect((await rows()).at(-1)).toMatchObject({
      at,
      brand_id: null,
      actor_kind: 'operator',
      actor_user_id: null,
      actor_token_id: null,
      action: 'brand.created',
      subject: 'brand:1',
      details: { name: 'O\'Hara "quoted"' },
      request_id: 'req-1',
    });
  });

  it('rolls back with its transaction', async () => {
    const before = (await rows()).length;
    const attempt = database.db.transaction().execute(async (tx) => {
      await recordAudit(tx, {
        brandId: null,
        actor: { kind: 'system' },
        action: 'a',
        subject: randomUUID(),
        at,
      });
      throw new Error('rolled back');
    });
    await expect(attempt).rejects.toThrow('rolled back');
    expect(await rows()).toHaveLength(before);
  });
});
