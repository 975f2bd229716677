import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema/rows.generated.js';

export type { Tables };

/** The database outside of a transaction. */
export type Db = Kysely<Tables>;

/** The database inside of a transaction; it can be handed to whatever takes a `Db`. */
export type Tx = Transaction<Tables>;

/** A row of an outer join, which may have found nothing. */
export type Nullable<T> = { [K in keyof T]: T[K] | null };
