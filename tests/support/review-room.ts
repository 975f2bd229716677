import { afterAll } from 'vitest';
import { checkouts } from './build-checkouts.js';
import { startBuildWorld } from './build-world.js';

interface Wish {
  /** Of a new card. */
  fields?: Record<string, unknown>;
  card?: { id: string; ref: string };
  files?: Record<string, string>;
}

/** A workspace with a desk whose builds go well: where every test of reviews begins. */
export async function openReviewRoom() {
  const world = await startBuildWorld();
  const room = await world.furnish();
  const desk = await room.readyDesk();
  const git = checkouts(room);

  /** A build that waits for its review. */
  const succeed = async ({ fields, card, files = { 'a.md': `${Math.random()}\n` } }: Wish = {}) => {
    const on = card ?? (await room.card(fields));
    await room.build(on.id);
    return { ...(await git.succeed(desk, files)), card: on };
  };

  return { world, room, desk, git, succeed };
}

/** The same for all tests of a file, and stopped after them. */
export async function openSharedReviewRoom(): Promise<ReviewRoom> {
  const room = await openReviewRoom();
  afterAll(() => room.world.stop());
  return room;
}

export type ReviewRoom = Awaited<ReturnType<typeof openReviewRoom>>;
