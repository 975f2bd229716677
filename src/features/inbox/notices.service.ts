import type { Tx } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { Answered, InboxNotices, Notice } from '../../platform/outbox/inbox-notices.js';
import { findMentions, nameKey, pickPeople } from './mentions.js';
import { type ChangedInbox, noticeStore } from './notices.store.js';

export const INBOX_CHANNEL = 'guildhall_inbox';

/** The people whose inboxes changed. */
export interface InboxMessage {
  brand: number;
  users: number[];
}

/** More would not fit into one message. */
const USERS_AT_ONCE = 500;

/** Announces changed inboxes to open pages after the commit. */
export function announceInboxes(
  notifications: Pick<Notifications, 'announce'>,
  tx: Tx,
  changed: readonly ChangedInbox[],
): void {
  for (const brand of new Set(changed.map(({ brand_id }) => brand_id))) {
    const users = [
      ...new Set(changed.filter(({ brand_id }) => brand_id === brand).map(({ user_id }) => user_id)),
    ];
    for (let from = 0; from < users.length; from += USERS_AT_ONCE) {
      const message: InboxMessage = { brand, users: users.slice(from, from + USERS_AT_ONCE) };
      notifications.announce(tx, INBOX_CHANNEL, message);
    }
  }
}

/** Notifies people on behalf of other features. */
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
    return findMentions(text).some((call) => call.some((name) => wanted.has(name)));
  },

  async findMentioned(tx, { brandId, boardId }, text): Promise<number[]> {
    const mentions = findMentions(text);
    if (mentions.length === 0) return [];
    const named = await noticeStore(tx).findNamed(brandId, boardId, [...new Set(mentions.flat())]);
    const people = new Map<string, number[]>();
    for (const { name, user_id } of named) people.set(name, [...(people.get(name) ?? []), user_id]);
    return pickPeople(mentions, people);
  },
});
