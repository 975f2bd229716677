import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema/rows.generated.js';

export type { Tables };

export type Db = Kysely<Tables>;

/** A transaction. It can be passed wherever a `Db` is expected. */
export type Tx = Transaction<Tables>;

export type Nullable<T> = { [K in keyof T]: T[K] | null };
