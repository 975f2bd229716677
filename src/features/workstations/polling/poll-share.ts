import { randomUUID } from 'node:crypto';
import { secondsFrom } from '../../../kernel/clock.js';
import type { Db } from '../../../platform/database/database.js';
import { fleetStore } from '../desks/fleet.store.js';

/** A node that died is missed soon, and saying so often costs a row each time. */
const ANNOUNCE_EVERY_SECONDS = 5;
const NODE_GONE_AFTER_SECONDS = 15;
const COUNT_EVERY_SECONDS = 30;

/** Which part of the fleet this node looks after, and how large the fleet is. */
export function createPollShare(db: Db) {
  const nodeId = randomUUID();
  let share = { index: 0, of: 1 };
  let desks = 0;
  let announceAt = 0;
  let countAt = 0;

  return {
    share: () => share,
    desks: () => desks,
    holds: (slot: number): boolean => slot % share.of === share.index,

    async refresh(now: Date): Promise<void> {
      const fleet = fleetStore(db);
      if (now.getTime() >= announceAt) {
        const nodes = await fleet.announceNode(nodeId, now, secondsFrom(now, -NODE_GONE_AFTER_SECONDS));
        share = { index: Math.max(0, nodes.indexOf(nodeId)), of: Math.max(1, nodes.length) };
        announceAt = secondsFrom(now, ANNOUNCE_EVERY_SECONDS).getTime();
      }
      if (now.getTime() >= countAt) {
        desks = await fleet.countPolled();
        countAt = secondsFrom(now, COUNT_EVERY_SECONDS).getTime();
      }
    },

    leave: (): Promise<void> => fleetStore(db).forgetNode(nodeId),
  };
}
