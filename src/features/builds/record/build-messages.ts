import type { Tx } from '../../../platform/database/database.js';
import type { WebhookEvent, WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import type { BuildRow } from './builds.store.js';

type BuildEvent = Extract<WebhookEvent, `build.${string}`>;

/** What a webhook is told of a build; belongs into the transaction of what happened to it. */
export const tellOfBuild = (
  outbox: Pick<WebhookOutbox, 'tell'>,
  tx: Tx,
  type: BuildEvent,
  build: BuildRow,
  at: Date,
  more: Record<string, unknown> = {},
): Promise<void> => {
  const { build_id, task_id, ref, project_id, attempt, coder, profile, workstation_id, status, reason } =
    build;
  const data = {
    build_id,
    task_id,
    ref,
    project_id,
    attempt,
    coder,
    profile,
    workstation_id,
    status,
    reason,
    ...more,
  };
  return outbox.tell(tx, [{ brandId: build.brand_id, type, at, data }]);
};
