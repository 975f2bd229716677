import type { BuildRow } from '../record/builds.store.js';

/** From where the first attempt began, whatever the last one added. */
export const bringsWork = ({
  head_sha,
  base_sha,
  origin_sha,
}: Pick<BuildRow, 'head_sha' | 'base_sha' | 'origin_sha'>): boolean =>
  head_sha !== null && head_sha !== (origin_sha ?? base_sha);
