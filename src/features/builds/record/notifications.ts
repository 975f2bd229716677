import type { Tx } from '../../../platform/database/database.js';
import type { InboxNotices, WebhookEvent, WebhookOutbox } from '../../../platform/outbox/outbox.js';
import type { BuildRow } from './builds.store.js';

type BuildEvent = Extract<WebhookEvent, `build.${string}`>;

export const recordBuildEvent = (
  outbox: Pick<WebhookOutbox, 'record'>,
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
  return outbox.record(tx, [{ brandId: build.brand_id, type, at, data }]);
};

export async function notifyEnd(
  inbox: Pick<InboxNotices, 'notify'>,
  tx: Tx,
  build: BuildRow,
  at: Date,
): Promise<void> {
  const users = build.created_by === null ? [] : [build.created_by];
  const { brand_id: brandId, task_id: taskId, build_id: buildId, outcome } = build;
  const told = { brandId, taskId, buildId, at, actor: null };
  if (outcome === 'succeeded')
    await inbox.notify(tx, [
      {
        ...told,
        kind: 'review_asked',
        excerpt: beginning(build.result),
        to: { users, reporter: true, watchers: true },
      },
    ]);
  // A person who cancels a build knows that it ended.
  else if (outcome !== 'canceled')
    await inbox.notify(tx, [
      { ...told, kind: 'build_failed', excerpt: beginning(build.reason), to: { users, assignee: true } },
    ]);
}

const LONGEST_EXCERPT = 200;

/** Never splits a surrogate pair. */
export const beginning = (text: string | null): string | null =>
  text && [...text.slice(0, 2 * LONGEST_EXCERPT)].slice(0, LONGEST_EXCERPT).join('');
