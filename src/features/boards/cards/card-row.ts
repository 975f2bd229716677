import type { Selectable } from 'kysely';
import type { Tables } from '../../../platform/database/database.js';
import type { Person } from '../boards.schemas.js';

/** A card's row, with what is joined to it. */
export interface CardRow extends Omit<Selectable<Tables['cards']>, 'status_of_build'> {
  ref: string;
  board: string;
  column_name: string;
  assignee_name: string | null;
  reporter_name: string | null;
  watchers: Person[];
  child_ids: string[];
  blocked_by: string[];
  blocks: string[];
}
