import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { boardCaller } from '../../features/boards/boards.test-support.js';
import { seedAttachmentDemo, seedBoardDemo } from './demo.js';

let world: World;
beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());

describe('Demo boards', () => {
  it('give each workspace a board with several hundred cards, history and pull requests', async () => {
    const workspaces = [await world.workspace(), await world.workspace()];
    await seedBoardDemo(
      world.app,
      workspaces.map(({ brand, admin }) => ({ brandId: brand.brand_id, people: [admin] })),
    );
    await seedAttachmentDemo(world.app, (await world.app.identity.authenticators.pat(workspaces[0]!.token))!);
    const attached = await sql<{ name: string }>`select name from card_attachments order by name`.execute(
      world.db,
    );
    expect(attached.rows.map(({ name }) => name)).toEqual(['map-of-the-hall.png', 'measurements.txt']);
    for (const { bearer } of workspaces) {
      const caller = boardCaller(world, bearer);
      const [board] = (await caller.get('/boards')).json().boards;
      const { items, total } = (
        await caller.get(`/boards/${board.board_id}/tasks?detail=full&per_page=500`)
      ).json();
      expect(total).toBe(items.length);
      expect(total).toBeGreaterThan(200);
      expect(
        items.filter(({ child_ids }: { child_ids: string[] }) => child_ids.length === 3).length,
      ).toBeGreaterThan(15);
      expect(items.every((card: { estimate_points: number | null }) => card.estimate_points)).toBe(true);
      expect((await caller.get('/master/tasks?has_pr=true&limit=1')).json().total).toBeGreaterThan(50);
      const seen = new Set<string>();
      let since = '';
      for (
        let page = { items: [{ id: '', created_at: '' }], next_cursor: '' };
        page.items.length > 0;
        since = `&since=${page.next_cursor}`
      ) {
        page = (await caller.get(`/activity/boards/${board.board_id}?limit=200${since}`)).json();
        for (const { id } of page.items) seen.add(id);
      }
      expect(seen.size).toBeGreaterThan(500);
      expect((await caller.get(`/boards/${board.board_id}/export`)).statusCode).toBe(200);
      // New cards continue the numbering of the demo cards.
      expect((await caller.card(board.board_id)).number).toBe(total + 1);
    }
  });
});
