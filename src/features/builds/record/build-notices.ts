import type { Tx } from '../../../platform/database/database.js';
import type { InboxNotices } from '../../../platform/outbox/inbox-notices.js';
import type { BuildRow } from './builds.store.js';

/** What people are told of the end of a build; belongs into the transaction that ends it. */
export async function tellPeopleOfEnd(
  inbox: Pick<InboxNotices, 'tell'>,
  tx: Tx,
  build: BuildRow,
  at: Date,
): Promise<void> {
  const users = build.created_by === null ? [] : [build.created_by];
  const { brand_id: brandId, task_id: taskId, build_id: buildId, outcome } = build;
  const told = { brandId, taskId, buildId, at, actor: null };
  if (outcome === 'succeeded')
    await inbox.tell(tx, [
      {
        ...told,
        kind: 'review_asked',
        excerpt: beginning(build.result),
        to: { users, reporter: true, watchers: true },
      },
    ]);
  // Whoever cancels a build knows that it ended.
  else if (outcome !== 'canceled')
    await inbox.tell(tx, [
      { ...told, kind: 'build_failed', excerpt: beginning(build.reason), to: { users, assignee: true } },
    ]);
}

const LONGEST_EXCERPT = 200;

/** By whole characters. */
export const beginning = (text: string | null): string | null =>
  text && [...text.slice(0, 2 * LONGEST_EXCERPT)].slice(0, LONGEST_EXCERPT).join('');
