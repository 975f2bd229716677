import type { Db, Tx } from '../../../database/database.js';
import type { Clock } from '../../../kernel/clock.js';
import { type NewPerson, personStore } from './people.store.js';

/** People, whatever workspaces they are in. */
export const createPeopleService = ({ clock }: { clock: Clock }) => ({
  create: (tx: Tx, person: Omit<NewPerson, 'created_at'>) =>
    personStore(tx).insertPerson({ ...person, created_at: clock.now() }),

  findByEmail: (db: Db | Tx, email: string) => personStore(db).findAccount(email),

  exists: (db: Db | Tx, userId: number): Promise<boolean> => personStore(db).personExists(userId),
});
