import { afterAll } from 'vitest';
import { checkouts } from './build-checkouts.js';
import { startBuildWorld } from './build-world.js';

interface ReviewOptions {
  /** Fields of the new card. */
  fields?: Record<string, unknown>;
  card?: { id: string; ref: string };
  files?: Record<string, string>;
}

/** A workspace with a desk whose builds succeed, which every test of reviews needs. */
export async function openReviewRoom() {
  const world = await startBuildWorld();
  const room = await world.furnish();
  const desk = await room.readyDesk();
  const git = checkouts(room);

  /** Creates a build that waits for review. */
  const succeed = async ({ fields, card, files = { 'a.md': `${Math.random()}\n` } }: ReviewOptions = {}) => {
    const on = card ?? (await room.card(fields));
    await room.build(on.id);
    return { ...(await git.succeed(desk, files)), card: on };
  };

  return { world, room, desk, git, succeed };
}

/** One shared instance for all tests of a file, stopped after them. */
export async function openSharedReviewRoom(): Promise<ReviewRoom> {
  const room = await openReviewRoom();
  afterAll(() => room.world.stop());
  return room;
}

export type ReviewRoom = Awaited<ReturnType<typeof openReviewRoom>>;
