import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { type Things, thingsOf } from '../../../../tests/support/card-things.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, MISSING } from '../boards.test-support.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

let world: World;
let home: Workspace;
let away: Workspace;
let ours: BoardCaller;
let theirs: BoardCaller;
let things: Things;
let board: Board;

beforeAll(async () => {
  world = await startTestApp();
  home = await world.workspace({ plan: 'enterprise' });
  away = await world.workspace({ plan: 'enterprise' });
  ours = boardCaller(world, home.bearer);
  theirs = boardCaller(world, away.bearer);
  things = thingsOf(world, home);
  board = await ours.board();
});
afterAll(() => world.stop());

const CASES: Record<string, () => Promise<{ own: unknown; foreign: unknown; unknown: unknown }>> = {
  project_id: async () => ({
    own: await things.project(),
    foreign: await thingsOf(world, away).project(),
    unknown: MISSING,
  }),
  environment_id: async () => ({
    own: await things.environment(),
    foreign: await thingsOf(world, away).environment(),
    unknown: MISSING,
  }),
  hire_id: async () => ({
    own: await things.hire(),
    foreign: await thingsOf(world, away).hire(),
    unknown: MISSING,
  }),
  assignee_agent_id: async () => ({
    own: await things.agent(),
    foreign: await thingsOf(world, away).agent(),
    unknown: 'nobody-at-all',
  }),
  assignee: async () => ({
    own: home.admin.user_id,
    foreign: away.admin.user_id,
    unknown: 2_000_000_000,
  }),
  reporter: async () => ({ own: home.admin.user_id, foreign: away.admin.user_id, unknown: 2_000_000_000 }),
  watchers: async () => ({
    own: [home.admin.user_id],
    foreign: [home.admin.user_id, away.admin.user_id],
    unknown: [2_000_000_000],
  }),
  parent_id: async () => ({
    own: (await ours.card(board.board_id)).id,
    foreign: (await theirs.card((await theirs.board()).board_id)).id,
    unknown: MISSING,
  }),
  blocked_by: async () => ({
    own: [(await ours.card((await ours.board()).board_id)).id],
    foreign: [(await theirs.card((await theirs.board()).board_id)).id],
    unknown: [MISSING],
  }),
};

describe('References of a card', () => {
  it.each(Object.keys(CASES))(
    'accept %s of this workspace only, with the same 422 for a foreign and an unknown one',
    async (field) => {
      const { own, foreign, unknown } = await CASES[field]!();
      const card = await ours.card(board.board_id);
      const asked = async (value: unknown) => [
        await ours.call('POST', `/boards/${board.board_id}/tasks`, { title: 'x', [field]: value }),
        await ours.patch(`/tasks/${card.id}`, { [field]: value }),
      ];
      expect((await asked(own)).map(({ statusCode }) => statusCode)).toEqual([201, 200]);
      const refusals = [...(await asked(foreign)), ...(await asked(unknown))];
      expect(refusals.map(({ statusCode }) => statusCode)).toEqual([422, 422, 422, 422]);
      expect(new Set(refusals.map(({ body }) => body)).size).toBe(1);
      expect(refusals[0]!.json().detail).toContain(field);
      expect((await ours.patch(`/tasks/${card.id}`, { [field]: null })).statusCode).toBe(200);
    },
  );

  it('refuse agents of the platform, and accept UUIDs in upper case', async () => {
    const card = await ours.card(board.board_id);
    const platform = await things.agent(null);
    const project = await things.project();
    expect((await ours.patch(`/tasks/${card.id}`, { assignee_agent_id: platform })).statusCode).toBe(422);
    expect(
      (await ours.patch(`/tasks/${card.id}`, { project_id: project.toUpperCase() })).json(),
    ).toMatchObject({
      project_id: project,
    });
  });

  it('refuse a desk that was released', async () => {
    const card = await ours.card(board.board_id);
    const desk = await things.environment();
    await world.inject({
      method: 'DELETE',
      url: `/api/v1/workstations/${desk}`,
      headers: { cookie: home.cookie },
    });
    expect((await ours.patch(`/tasks/${card.id}`, { environment_id: desk })).statusCode).toBe(422);
  });
});
