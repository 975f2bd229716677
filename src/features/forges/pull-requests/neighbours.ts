import type { Db, Tx } from '../../../platform/database/database.js';
import type { ConnectedForge, ForgeAccess as WholeAccess } from '../connection/forge-access.js';
import type { Answer } from './asking.js';
import type { PullRequestRow } from './pull-requests.store.js';

/** What this room asks of the others. */

export type { ConnectedForge };

export type ForgeAccess = Pick<WholeAccess, 'find' | 'noteSuccess' | 'noteFailure'>;

export type IssuePass = (connected: ConnectedForge) => Promise<void>;

export type FindIssueOfCard = (db: Db | Tx, brandId: number, cardId: string) => Promise<number | undefined>;

/** Red comes back: what it takes is found out before, and begun with what the card follows. */
export interface Rework<Planned = unknown> {
  plan(row: PullRequestRow, answer: Answer, connected: ConnectedForge): Promise<Planned | undefined>;
  begin(tx: Tx, row: PullRequestRow, planned: Planned): Promise<void>;
}
