import { type RawBuilder, sql } from 'kysely';

/** Whether somebody outside listens to the workspace at all: asked within a write, it costs no statement of its own. */
export const isHeard = (brandId: number): RawBuilder<boolean> =>
  sql<boolean>`exists (select from webhooks w where w.brand_id = ${brandId} and w.enabled)`;
