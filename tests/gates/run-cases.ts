import type { GateNote } from '../../src/features/builds/review.schemas.js';
import type { FakeDesk, Furnished } from '../support/build-world.js';
import { checkRoom } from '../support/check-room.js';
import { type Case, edited } from './cases.js';
import { SHOP } from './shop.js';

/** Puts the shop into a workspace's repository, and runs builds through the whole service. */
export function openShop(room: Furnished, desk: FakeDesk, look: () => Promise<unknown>) {
  const checks = checkRoom(room);
  const { git } = checks;
  room.repository.remove('src').save(SHOP);

  return async ({
    name,
    instructions,
    edits,
  }: Case): Promise<{ status: string; card: string; notes: GateNote[] }> => {
    const card = await room.card({ title: name, instructions });
    const build = await room.build(card.id);
    const taken = await room.take(desk);
    const after = edited(edits);
    const repository = await git.checkOut(desk, taken);
    const gone = Object.keys(SHOP).filter((path) => !(path in after));
    const head = repository.remove(...gone).save(after);
    if (head !== build.base_sha && edits.length > 0) {
      const sent = await git.handIn(
        desk,
        taken,
        git.bundle(repository, `${build.base_sha}..${build.branch}`),
      );
      if (sent.status !== 200) throw new Error(JSON.stringify(sent.body));
    }
    repository.dispose();
    await room.finish(desk, taken.buildId, taken.claim, {
      outcome: 'succeeded',
      result: 'Done, all tests pass.',
    });
    // The shop has a check, which the desk runs and which passes.
    if ((await room.get(taken.buildId)).status === 'checking') await checks.run(desk);
    await look();
    const { status, gate } = await room.get(taken.buildId);
    return { status, card: String((await room.readCard(card.id))['status']), notes: gate?.notes ?? [] };
  };
}
