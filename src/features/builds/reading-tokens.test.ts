import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuildWorld, type Furnished, startBuildWorld } from '../../../tests/support/build-world.js';
import type { Scope } from '../../kernel/access.js';

let world: BuildWorld;
let room: Furnished;

beforeAll(async () => {
  world = await startBuildWorld();
  room = await world.furnish();
});
afterAll(() => world.stop());

const NEEDED = 'Token has only scopes that read, and this needs one of brand:admin, memory:write';

describe('a token whose scopes are all of the kind …:read', () => {
  const ask = async (scopes: Scope[]) => {
    const { id } = await room.card();
    const token = await world.token(room.space.brand, room.space.admin, scopes);
    const headers = { authorization: `Bearer ${token}` };
    return room.call<{ detail: string }>('POST', `/api/v1/board/tasks/${id}/builds`, {}, headers);
  };

  it('starts no build, and is told which scopes may and whether the workspace allows them', async () => {
    for (const scopes of [[], ['brand:read'], ['brand:read', 'memory:read', 'code:read']] as Scope[][]) {
      const { status, body } = await ask(scopes);
      expect([status, body.detail.startsWith(NEEDED)], scopes.join()).toEqual([403, true]);
      expect(body.detail).toMatch(/; this workspace allows [a-z:, ]+, so a new token can carry it$/);
    }
    expect((await ask(['brand:read', 'memory:write'])).status).toBe(201);
  });
});
