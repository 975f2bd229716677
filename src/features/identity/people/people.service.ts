import type { Db, Tx } from '../../../database/database.js';
import type { Clock } from '../../../kernel/clock.js';
import { type NewPerson, type PeopleWish, personStore } from './people.store.js';

/** People, whatever workspaces they are in. */
export const createPeopleService = ({ clock }: { clock: Clock }) => ({
  create: (tx: Tx, person: Omit<NewPerson, 'created_at'>) =>
    personStore(tx).insertPerson({ ...person, created_at: clock.now() }),

  findByEmail: (db: Db | Tx, email: string) => personStore(db).findAccount(email),

  /** By their id; for the operator, who looks after everybody. */
  list: (db: Db, wish: PeopleWish) => personStore(db).listPeople(wish),

  count: (db: Db, q: string | undefined): Promise<number> => personStore(db).countPeople(q),

  exists: (db: Db | Tx, userId: number): Promise<boolean> => personStore(db).personExists(userId),
});
