import { type RawBuilder, sql } from 'kysely';
import type { ActorNames } from '../../../kernel/actors.js';

type Column = RawBuilder<unknown>;

/** For whoever stands in the two columns; null where no person does. */
export const actorNames = (
  user: Column,
  agent: Column,
): RawBuilder<ActorNames | null> => sql<ActorNames | null>`
  case when ${user} is not null then json_build_object(
    'user_id', ${user}, 'person', (select full_name from users where user_id = ${user}),
    'agent_id', ${agent}, 'agent', (select name from agents where agent_id = ${agent})) end`;
