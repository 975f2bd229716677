import type { Db } from '../../../platform/database/database.js';
import { fleetStore, type PolledDesk } from '../desks/fleet.store.js';

/** When desks were last heard: exactly in memory, and stored as often as the size of the fleet allows. */
export function createContactTimes(db: Db) {
  const heard = new Map<string, Date>();
  let unstored = new Map<string, Date>();

  return {
    lastHeard: (deskId: string): Date | null => heard.get(deskId) ?? null,
    unstored: (): number => unstored.size,

    /** A stored time older than `precisionMs` is worth a write. */
    note(desk: PolledDesk, at: Date, precisionMs: number): void {
      heard.set(desk.desk_id, at);
      const stored = desk.last_contact_at?.getTime() ?? 0;
      if (at.getTime() - stored >= precisionMs) unstored.set(desk.desk_id, at);
    },

    /** The record knows better: a check has been stored since. */
    forget(deskId: string): void {
      heard.delete(deskId);
    },

    async store(): Promise<void> {
      const batch = unstored;
      unstored = new Map();
      await fleetStore(db).writeContacts(batch);
    },

    storeAll: (): Promise<void> => fleetStore(db).writeContacts(heard),
  };
}
