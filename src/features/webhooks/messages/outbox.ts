import { newId } from '../../../kernel/ids.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { WebhookOutbox } from '../../../platform/outbox/outbox.js';
import { messageStore } from './messages.store.js';

/** Wakes the dispatcher, which also polls on its own. */
export const DELIVERIES_CHANNEL = 'guildhall_webhooks';

/** Stores messages in the transaction of the change; the dispatcher sends them after the commit. */
export function createWebhookOutbox({
  notifications,
}: {
  notifications: Pick<Notifications, 'announce'>;
}): WebhookOutbox {
  return {
    async record(tx, messages) {
      if (messages.length === 0) return;
      const isDelivered = await messageStore(tx).write(
        messages.map(({ brandId, type, at, data }) => ({
          eventId: newId(),
          brandId,
          type,
          body: writeBody({ type, at, data }),
          at,
        })),
      );
      if (isDelivered) notifications.announce(tx, DELIVERIES_CHANNEL, {});
    },

    hasSubscribers: (db, brandId) => messageStore(db).hasSubscribers(brandId),
  };
}

export const LARGEST_MESSAGE = 256 * 1024;
const FIRST_CUT = 16 * 1024;
const LAST_CUT = 64;

export interface OutboxEvent {
  type: string;
  at: Date;
  data: Record<string, unknown>;
}

/** Returns the bytes that are signed and sent. Long texts are cut, and `truncated` is set. */
export function writeBody({ type, at, data }: OutboxEvent): string {
  const write = (shown: Record<string, unknown>) =>
    JSON.stringify({ type, timestamp: at.toISOString(), data: shown });
  const whole = write(data);
  if (fits(whole)) return whole;
  for (let longest = FIRST_CUT; longest >= LAST_CUT; longest /= 4) {
    const cut = write({ ...(cutTexts(data, longest) as object), truncated: true });
    if (fits(cut)) return cut;
  }
  // If cutting texts is not enough, only ids and other plain values remain; receivers can request the record.
  return write({ ...onlyPlainValues(data), truncated: true });
}

const fits = (body: string): boolean =>
  body.length <= LARGEST_MESSAGE && Buffer.byteLength(body) <= LARGEST_MESSAGE;

function cutTexts(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return cutText(value, longest);
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, longest));
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cutTexts(part, longest)]));
}

function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const last = text.charCodeAt(longest - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? longest - 1 : longest);
}

const onlyPlainValues = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([, value]) => value === null || typeof value !== 'object')
      .map(([name, value]) => [name, cutTexts(value, LAST_CUT)]),
  );
