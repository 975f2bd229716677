import type { Clock } from '../../../kernel/clock.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { type NewPerson, type PeopleWish, personStore } from './people.store.js';

/** People, whatever workspaces they are in. */
export const createPeopleService = ({ clock }: { clock: Clock }) => ({
  create: (tx: Tx, person: Omit<NewPerson, 'created_at'>) =>
    personStore(tx).insertPerson({ ...person, created_at: clock.now() }),

  findByEmail: (db: Db | Tx, email: string) => personStore(db).findByAddress(email),

  /** By their id; for the operator, who looks after everybody. */
  list: (db: Db, wish: PeopleWish) => personStore(db).listPeople(wish),

  count: (db: Db, q: string | undefined): Promise<number> => personStore(db).countPeople(q),

  /** Until the transaction ends nobody else changes the person's password, signs them in or lets them join a workspace. */
  async hold(tx: Tx, userId: number): Promise<void> {
    await personStore(tx).hold(userId);
  },

  exists: (db: Db | Tx, userId: number): Promise<boolean> => personStore(db).personExists(userId),
});
