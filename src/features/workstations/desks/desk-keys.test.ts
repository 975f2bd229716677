import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let world: DeskWorld;
let space: DeskWorkspace;
beforeAll(async () => {
  world = await startDeskWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  space = await world.workspace();
});

type Desk = { workstation_id: string; pat: string };
const db = () => world.db;
const rowOf = async (desk: Desk) =>
  (await sql`select * from desks where desk_id = ${desk.workstation_id}`.execute(db())).rows[0] as Record<
    string,
    unknown
  >;
/** Stores the token in the form that older releases used. */
const makeOld = (desk: Desk) =>
  sql`update desks set token_hash = ${sha256(desk.pat)}, token_lookup = null, key_sealed = null
      where desk_id = ${desk.workstation_id}`.execute(db());

async function expectSealed(desk: Desk): Promise<void> {
  const row = await rowOf(desk);
  const text = JSON.stringify(row);
  // The key is the hash of the token in hex, but any encoding of those bytes would leak it.
  expect(text).not.toContain(sha256(desk.pat));
  expect(text).not.toContain(Buffer.from(sha256(desk.pat)).toString('base64').slice(0, 40));
  expect(text).not.toContain(desk.pat);
  expect(row).toMatchObject({ token_hash: null, key_sealed: expect.stringMatching(/^v1\./) });
  expect(row['token_lookup']).not.toBe(sha256(desk.pat));
}

describe("The key that proves a desk's orders", () => {
  it('is not readable in the database, for a new desk and after regenerate-pat', async () => {
    const { desk } = await world.readyDesk(space);
    await expectSealed(desk);
    const again = await world.asMember(space)(
      'POST',
      `/api/v1/workstations/${desk.workstation_id}/regenerate-pat`,
    );
    expect(again.statusCode).toBe(200);
    await expectSealed({ ...desk, pat: again.json().pat });
    expect((await world.asDesk(desk)('heartbeat', {})).statusCode).toBe(401);
    expect((await world.asDesk({ ...desk, pat: again.json().pat })('heartbeat', {})).statusCode).toBe(200);
  });

  it('is sealed for a desk of an older release on its next request', async () => {
    const { desk } = await world.readyDesk(space);
    await makeOld(desk);
    expect((await world.asDesk(desk)('heartbeat', {})).statusCode).toBe(200);
    await expectSealed(desk);
    expect((await world.asDesk(desk)('heartbeat', {})).statusCode).toBe(200);
  });

  it('is sealed for a desk of an older release on the next poll, even when the desk is suspended', async () => {
    const { desk, fake } = await world.readyDesk(space);
    const silent = await world.readyDesk(space);
    await makeOld(desk);
    await makeOld(silent.desk);
    await world.asMember(space)('PATCH', `/api/v1/workstations/${silent.desk.workstation_id}`, {
      status: 'suspended',
    });
    fake.requests.length = 0;
    await world.poll();
    await expectSealed(desk);
    await expectSealed(silent.desk);
    expect(await world.read(space, desk)).toMatchObject({ ready: true });
    await world.poll();
    expect(await world.read(space, desk)).toMatchObject({ ready: true });
  });

  it('is sealed for one desk, so a copy on another desk cannot be opened and its check is missed', async () => {
    const one = await world.readyDesk(space);
    const other = await world.readyDesk(space);
    await sql`update desks set key_sealed = (select key_sealed from desks where desk_id = ${other.desk.workstation_id})
              where desk_id = ${one.desk.workstation_id}`.execute(db());
    for (let check = 0; check < 3; check += 1) await world.poll();
    expect(await world.read(space, one.desk)).toMatchObject({ ready: false });
    expect(await world.read(space, other.desk)).toMatchObject({ ready: true });
  });
});
