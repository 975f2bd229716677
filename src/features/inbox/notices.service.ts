import type { Tx } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { InboxNotices, Notice, SettledItems } from '../../platform/outbox/outbox.js';
import { type ChangedInbox, noticeStore } from './inbox.store.js';

/** The names that may follow an `@`, the longest first. */
export type Mention = string[];

const MOST_MENTIONS = 50;
const LONGEST_NAME = 120;
const MOST_NAMES = 8;

/** An `@` outside addresses and words, directly before other text. */
const MENTION_SIGN = /(?<![\p{L}\p{N}\p{M}._%+@-])@(?=\S)/gu;
/** A name ends at a letter or digit after which the same word does not continue. */
const NAME_END = /[\p{L}\p{N}\p{M}](?![\p{L}\p{N}\p{M}@]|[._'’-][\p{L}\p{N}])/gu;

/** Every mention in a text with the names that it may refer to. */
export function findMentions(text: string): Mention[] {
  const mentions: Mention[] = [];
  let checked = 0;
  for (const { index } of text.matchAll(MENTION_SIGN)) {
    // A sign without a name counts too, because a long text of such signs would take seconds.
    if (checked++ === MOST_MENTIONS) break;
    const rest = text.slice(index + 1, index + 1 + LONGEST_NAME).split('\n', 1)[0]!;
    const ends = [...rest.matchAll(NAME_END)].slice(0, MOST_NAMES).map((end) => end.index + end[0].length);
    const names = ends.map((end) => nameKey(rest.slice(0, end)));
    if (names.length > 0) mentions.push(names.reverse());
  }
  return mentions;
}

export const nameKey = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase();

/** The mentioned people. A mention refers to the longest of its names that exists. */
export function pickPeople(
  mentions: readonly Mention[],
  people: ReadonlyMap<string, readonly number[]>,
): number[] {
  const found = mentions.flatMap((names) => {
    const known = names.find((name) => people.has(name));
    return known === undefined ? [] : people.get(known)!;
  });
  return [...new Set(found)];
}

export const INBOX_CHANNEL = 'guildhall_inbox';

export interface InboxMessage {
  brand: number;
  users: number[];
}

/** A notification of PostgreSQL holds up to 8000 bytes. */
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

export const createInboxNotices = ({
  notifications,
}: {
  notifications: Pick<Notifications, 'announce'>;
}): InboxNotices => ({
  async notify(tx: Tx, notices: readonly Notice[]): Promise<void> {
    if (notices.length === 0) return;
    announceInboxes(notifications, tx, await noticeStore(tx).write(notices));
  },

  async settle(tx: Tx, settled: SettledItems): Promise<void> {
    announceInboxes(notifications, tx, await noticeStore(tx).settle(settled));
  },

  mentions(text: string, names: readonly string[]): boolean {
    const wanted = new Set(names.map(nameKey));
    return findMentions(text).some((mention) => mention.some((name) => wanted.has(name)));
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
