import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  refused,
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../tests/support/settings-world.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import { recordPersonAudit } from '../identity/credentials/sign-in-audit.js';
import type { WorkspaceAuditEntry } from './workspaces.schemas.js';

let world: SettingsWorld;
let acme: Workspace;
let other: Workspace;

beforeAll(async () => {
  world = await startSettingsWorld();
  [acme, other] = [await world.workspace(), await world.workspace()];
});
afterAll(() => world.stop());

interface Page {
  entries: WorkspaceAuditEntry[];
  next_cursor: string | null;
}

async function read(workspace: Workspace, query = ''): Promise<Page> {
  const [status, body] = await world.ask(workspace, 'GET', `/audit${query}`);
  expect(status).toBe(200);
  return body;
}

describe('GET /brands/{brand_id}/audit', () => {
  it('lists action, actor, address and credential, newest first', async () => {
    const ben = await world.member(acme.brand);
    await world.ask(acme, 'PATCH', `/members/${ben.user_id}`, { position: 'Cook' });
    await world.ask(acme, 'PATCH', `/members/${ben.user_id}`, { position: 'Chef' }, { cookie: acme.cookie });
    const { entries } = await read(acme);
    const mine = { user_id: acme.admin.user_id, name: acme.admin.full_name, agent_id: null };
    const subject = `user:${ben.user_id}`;
    expect(entries.slice(0, 3)).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        at: expect.any(String),
        actor: mine,
        action: 'member.changed',
        subject,
        address: '127.0.0.1',
        credential: expect.stringMatching(/^session:[0-9a-f-]{36}$/),
      },
      expect.objectContaining({
        actor: mine,
        action: 'member.changed',
        credential: expect.stringMatching(/^pat:[0-9a-f-]{36}$/),
      }),
      expect.objectContaining({ actor: null, action: 'member.put', subject, credential: 'admin_key' }),
    ]);
  });

  it('has neither address nor credential for actions of the service itself', async () => {
    const at = world.clock.now();
    const entry = {
      brandId: acme.brand.brand_id,
      actor: { kind: 'system' },
      action: 'test.pass',
      subject: 'x',
      at,
    };
    await recordAudit(world.db, entry);
    expect((await read(acme)).entries[0]).toMatchObject({
      actor: null,
      action: 'test.pass',
      address: null,
      credential: null,
    });
  });

  it('filters by actor and by action, separately and together', async () => {
    const both = `?actor=${acme.admin.user_id}&action=member.changed`;
    for (const [query, holds] of [
      [`?actor=${acme.admin.user_id}`, (e: WorkspaceAuditEntry) => e.actor?.user_id === acme.admin.user_id],
      ['?action=member.changed', (e: WorkspaceAuditEntry) => e.action === 'member.changed'],
      [both, (e: WorkspaceAuditEntry) => e.action === 'member.changed' && e.actor !== null],
    ] as const) {
      const { entries } = await read(acme, query);
      const all = (await read(acme, '?limit=200')).entries.filter(holds);
      expect(entries).toEqual(all);
      expect(entries.length).toBeGreaterThan(0);
    }
    expect(await read(acme, '?action=nothing.such')).toEqual({ entries: [], next_cursor: null });
    expect(await read(acme, `?actor=${other.admin.user_id}`)).toEqual({ entries: [], next_cursor: null });
  });

  it('returns every entry exactly once when following the cursor', async () => {
    const all = (await read(acme, '?limit=200')).entries;
    const seen: WorkspaceAuditEntry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await read(acme, `?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.entries);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(all);
  });

  it('never returns entries of other workspaces', async () => {
    const ids = new Set((await read(other, '?limit=200')).entries.map(({ id }) => id));
    expect((await read(acme, '?limit=200')).entries.filter(({ id }) => ids.has(id))).toEqual([]);
    expect((await world.ask(other, 'GET', '/audit', undefined, acme.bearer))[0]).toBe(404);
  });

  it('rejects a cursor of another workspace, an altered cursor and an invalid actor', async () => {
    const { next_cursor } = await read(acme, '?limit=1');
    const notOne = refused(400, 'cursor is not one that this endpoint issued');
    expect(await world.ask(other, 'GET', `/audit?cursor=${next_cursor}`)).toEqual(notOne);
    expect(await world.ask(acme, 'GET', `/audit?cursor=x${next_cursor}`)).toEqual(notOne);
    for (const actor of ['nobody', '0', '-1', '1.5', '99999999999', 'a'.repeat(2000)])
      expect((await world.ask(acme, 'GET', `/audit?actor=${actor}`))[0]).toBe(422);
    for (const limit of ['0', '201'])
      expect((await world.ask(acme, 'GET', `/audit?limit=${limit}`))[0]).toBe(422);
  });
});

describe('Audit of account events', () => {
  it('appears in every workspace of the person and stays after they leave', async () => {
    const ada = await world.member(other.brand, { person: await world.member(acme.brand) });
    const third = await world.workspace();
    const entry = {
      actor: { kind: 'anonymous', userId: ada.user_id },
      action: 'sign_in.failed',
      at: world.clock.now(),
    };
    await inTransaction(world.db, (tx) => recordPersonAudit(tx, ada.user_id, entry));
    const told = async (workspace: Workspace) =>
      (await read(workspace, '?action=sign_in.failed')).entries.map(({ actor }) => actor?.user_id);
    const everywhere = async () => Promise.all([acme, other, third].map(told));
    expect(await everywhere()).toEqual([[ada.user_id], [ada.user_id], []]);
    await world.ask(acme, 'DELETE', `/members/${ada.user_id}`);
    expect(await everywhere()).toEqual([[ada.user_id], [ada.user_id], []]);
  });

  it('appears only for the operator when the person has no workspace', async () => {
    const nobody = await world.person();
    const actor = { kind: 'anonymous', userId: nobody.user_id };
    await recordPersonAudit(world.db, nobody.user_id, { actor, action: 'lonely.act', at: world.clock.now() });
    const { items } = await world.operator<{ items: object[] }>('GET', '/audit');
    expect(items[0]).toMatchObject({
      brand_id: null,
      action: 'lonely.act',
      subject: `user:${nobody.user_id}`,
    });
  });
});
