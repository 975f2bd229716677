import type { Tx } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { Answered, InboxNotices, Notice } from '../../platform/outbox/inbox-notices.js';
import { findCalls, nameKey, pickMentioned } from './mentions.js';
import { noticeStore, type Told } from './notices.store.js';

export const INBOX_CHANNEL = 'guildhall_inbox';

/** Whose inboxes have changed. */
export interface InboxMessage {
  brand: number;
  users: number[];
}

/** More would not fit into one message. */
const USERS_AT_ONCE = 500;

/** Wakes up whoever follows these inboxes, after the commit. */
export function announceInboxes(
  notifications: Pick<Notifications, 'announce'>,
  tx: Tx,
  told: readonly Told[],
): void {
  for (const brand of new Set(told.map(({ brand_id }) => brand_id))) {
    const users = [
      ...new Set(told.filter(({ brand_id }) => brand_id === brand).map(({ user_id }) => user_id)),
    ];
    for (let from = 0; from < users.length; from += USERS_AT_ONCE) {
      const message: InboxMessage = { brand, users: users.slice(from, from + USERS_AT_ONCE) };
      notifications.announce(tx, INBOX_CHANNEL, message);
    }
  }
}

/** What other features tell people through. */
export const createInboxNotices = ({
  notifications,
}: {
  notifications: Pick<Notifications, 'announce'>;
}): InboxNotices => ({
  async tell(tx: Tx, notices: readonly Notice[]): Promise<void> {
    if (notices.length === 0) return;
    announceInboxes(notifications, tx, await noticeStore(tx).write(notices));
  },

  async settle(tx: Tx, answered: Answered): Promise<void> {
    announceInboxes(notifications, tx, await noticeStore(tx).settle(answered));
  },

  calls(text: string, names: readonly string[]): boolean {
    const wanted = new Set(names.map(nameKey));
    // Of what may be meant the longest name is looked for first, but a call may go on with other words.
    return findCalls(text).some((call) => call.some((name) => wanted.has(name)));
  },

  async findMentioned(tx, { brandId, boardId }, text): Promise<number[]> {
    const calls = findCalls(text);
    if (calls.length === 0) return [];
    const named = await noticeStore(tx).findNamed(brandId, boardId, [...new Set(calls.flat())]);
    const people = new Map<string, number[]>();
    for (const { name, user_id } of named) people.set(name, [...(people.get(name) ?? []), user_id]);
    return pickMentioned(calls, people);
  },
});
