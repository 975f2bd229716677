import { foldAccountName } from '../../../kernel/account-names.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import { violatedConstraint } from '../../../platform/database/schema/constraints.js';
import { type UnnamedStore, unnamedInvitations, unnamedPeople } from './account-names.store.js';

const BATCH = 500;

/** Gives an account name to every person and invitation that has none yet; on most installations there are none. */
export async function nameAccounts(db: Db, log: Log): Promise<void> {
  await nameAll(unnamedPeople(db), log);
  await nameAll(unnamedInvitations(db), log);
}

async function nameAll(store: UnnamedStore, log: Log): Promise<void> {
  for (let last = 0; ; ) {
    const unnamed = await store.list(last, BATCH);
    for (const { id, email } of unnamed) {
      await store.name(id, foldAccountName(email)).catch((error) => {
        if (violatedConstraint(error) === undefined) throw error;
        log.warn({ id }, 'An e-mail address is another spelling of one that has an account already');
      });
    }
    if (unnamed.length < BATCH) return;
    last = unnamed.at(-1)!.id;
  }
}
