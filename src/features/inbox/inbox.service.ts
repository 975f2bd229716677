import type { MemberCaller } from '../../kernel/access.js';
import { type PersonalPart, pagedPart, showActor } from '../../kernel/actors.js';
import { type Clock, DAY, secondsFrom } from '../../kernel/clock.js';
import { timePages } from '../../kernel/cursor.js';
import { badRequest, notFound, unprocessable } from '../../kernel/errors.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { createFollowers } from '../../platform/events/live-followers.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { ServerSentEvent } from '../../platform/http/answer/answers.js';
import { instantOf } from '../../platform/http/declaration/schemas.js';
import { sweepInBatches } from '../../platform/jobs/batches.js';
import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { InboxItem, InboxPage, InboxPatch, InboxQuery } from './inbox.schemas.js';
import {
  deleteItemsBefore,
  type ItemChanges,
  type ItemRow,
  inboxStore,
  listItemsOf,
  type Owner,
} from './inbox.store.js';
import { announceInboxes, INBOX_CHANNEL, type InboxMessage } from './notices.service.js';

export const itemNotFound = () => notFound('Item not found');
export const notACursor = () => badRequest('cursor is not a cursor this endpoint issued');
export const nothingToChange = () => badRequest('No fields to update');
export const notASnooze = () => unprocessable('snoozed_until must be ahead, by a year at most');

interface InboxOptions {
  db: Db;
  clock: Clock;
  notifications: Pick<Notifications, 'announce' | 'subscribe' | 'onGap'>;
  cursorSecret: string;
  /** Whether the caller's credential would still be accepted. */
  isStillValid: (caller: MemberCaller) => Promise<boolean>;
}

export type InboxService = ReturnType<typeof createInboxService>;

const KEPT_SECONDS = 90 * DAY;
const LONGEST_SNOOZE_SECONDS = 366 * DAY;

const ownerOf = ({ brandId, userId, role }: MemberCaller): Owner => ({
  brandId,
  userId,
  isGuest: role === 'guest',
});

export function createInboxService({ db, clock, notifications, cursorSecret, isStillValid }: InboxOptions) {
  const live = createFollowers<InboxMessage>(notifications, INBOX_CHANNEL, ({ brand, users }) =>
    users.map((userId) => keyOf(brand, userId)),
  );

  const storeOf = (caller: MemberCaller, within: Db | Tx = db) =>
    inboxStore(within, ownerOf(caller), clock.now());

  const waitFor = (back: Date | null): number | undefined =>
    back ? back.getTime() - clock.now().getTime() + 1 : undefined;

  function readChanges({ read, done, snoozed_until }: InboxPatch): ItemChanges {
    if (read === undefined && done === undefined && snoozed_until === undefined) throw nothingToChange();
    const snoozedUntil = snoozed_until === undefined ? undefined : instantOf(snoozed_until);
    const now = clock.now();
    if (snoozedUntil && (snoozedUntil <= now || snoozedUntil > secondsFrom(now, LONGEST_SNOOZE_SECONDS)))
      throw notASnooze();
    return { read, done, snoozedUntil };
  }

  const announce = (tx: Tx, { brandId, userId }: MemberCaller) =>
    announceInboxes(notifications, tx, [{ brand_id: brandId, user_id: userId }]);

  async function* follow(caller: MemberCaller, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    let lastUnread: number | undefined;
    const follower = live.follow(keyOf(caller.brandId, caller.userId), signal);
    try {
      for (let reason = 'news'; reason !== 'end'; ) {
        // A stream outlives the check of its request, so the credential is checked again.
        if (!(await isStillValid(caller))) return;
        const { unread, next_back } = await storeOf(caller).readCounts();
        if (reason === 'news' || unread !== lastUnread) yield { event: 'inbox', data: { unread } };
        lastUnread = unread;
        reason = await follower.next(waitFor(next_back));
      }
    } finally {
      follower.close();
    }
  }

  return {
    async listInbox(caller: MemberCaller, { limit, cursor, ...filter }: InboxQuery): Promise<InboxPage> {
      const pages = timePages(cursorSecret, `inbox:${caller.brandId}:${caller.userId}`, notACursor);
      const after = pages.read(cursor);
      // One item more than requested shows whether another page follows.
      const { rows, counts } = await storeOf(caller).list({ ...filter, limit: limit + 1, after });
      const { page, next_cursor } = pages.cut(rows, limit, ({ at, item_id }) => ({ at, id: item_id }));
      const { next_back, ...shown } = counts;
      return { items: page.map(toItem), ...shown, next_cursor };
    },

    async changeItem(caller: MemberCaller, itemId: string, patch: InboxPatch): Promise<InboxItem> {
      const changes = readChanges(patch);
      return inTransaction(db, async (tx) => {
        const store = storeOf(caller, tx);
        await store.change([itemId], changes);
        const row = await store.find(itemId);
        if (!row) throw itemNotFound();
        announce(tx, caller);
        return toItem(row);
      });
    },

    async changeItems(
      caller: MemberCaller,
      itemIds: string[],
      patch: InboxPatch,
    ): Promise<{ changed: number }> {
      const changes = readChanges(patch);
      return inTransaction(db, async (tx) => {
        const changed = await storeOf(caller, tx).change(itemIds, changes);
        if (changed > 0) announce(tx, caller);
        return { changed };
      });
    },

    finishItems: (caller: MemberCaller, itemIds: string[] | undefined): Promise<{ done: number }> =>
      inTransaction(db, async (tx) => {
        const done = await storeOf(caller, tx).finish(itemIds ?? null);
        if (done > 0) announce(tx, caller);
        return { done };
      }),

    followInbox: (caller: MemberCaller, signal: AbortSignal): AsyncGenerator<ServerSentEvent> =>
      follow(caller, signal),

    sweep(signal: AbortSignal): Promise<number> {
      const before = secondsFrom(clock.now(), -KEPT_SECONDS);
      return sweepInBatches(signal, (limit) => deleteItemsBefore(db, before, limit));
    },

    deleteInbox: (tx: Tx, brandId: number, userId: number): Promise<void> =>
      inboxStore(tx, { brandId, userId, isGuest: false }, clock.now()).removeAll(),

    listPersonalParts: (userId: number): PersonalPart[] => [
      pagedPart(
        'inbox',
        ({ id }: { id: string }) => id,
        (after, limit) => listItemsOf(db, userId, after, limit),
      ),
    ],
  };
}

const keyOf = (brandId: number, userId: number): string => `${brandId}:${userId}`;

const toItem = (row: ItemRow): InboxItem => ({
  item_id: row.item_id,
  kind: row.kind,
  at: row.at.toISOString(),
  read_at: row.read_at?.toISOString() ?? null,
  done_at: row.done_at?.toISOString() ?? null,
  snoozed_until: row.snoozed_until?.toISOString() ?? null,
  actor: showActor(row.actor),
  task: { task_id: row.task_id, ref: row.ref, title: row.title, status: row.status, board_id: row.board_id },
  build_id: row.build_id,
  excerpt: row.excerpt,
});

export const inboxJobs = (inbox: Pick<InboxService, 'sweep'>): JobDefinition[] => [
  {
    name: 'inbox-sweep',
    description: 'Deletes inbox items that are older than 90 days.',
    schedule: { cron: '41 * * * *' },
    run: async ({ signal }) => ({ processed: await inbox.sweep(signal), failed: 0 }),
  },
];
