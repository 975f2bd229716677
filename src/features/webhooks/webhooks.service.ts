import { withoutAddresses, withoutName } from '../../kernel/actors.js';
import { type Clock, DAY, MINUTE, secondsFrom } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import { sweepInBatches } from '../../platform/jobs/batches.js';
import type { JobDefinition, JobResult } from '../../platform/jobs/jobs.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { CallerChecks } from '../identity/index.js';
import { createDeliveryService } from './deliveries/deliveries.service.js';
import { dispatchStore, failingStore } from './deliveries/dispatch.store.js';
import { createDispatcher } from './deliveries/dispatcher.js';
import { createSender } from './deliveries/sender.js';
import { messageStore } from './messages/messages.store.js';
import { DELIVERIES_CHANNEL } from './messages/outbox.js';
import { createSubscriptionService, receiverRules } from './subscriptions/subscriptions.service.js';
import { closeWebhooks } from './subscriptions/subscriptions.store.js';

export { createWebhookOutbox } from './messages/outbox.js';

export interface WebhookOptions {
  db: Db;
  clock: Clock;
  log: Log;
  secrets: SecretBox;
  notifications: Notifications;
  cursorSecret: string;
  networks: readonly string[];
  version: string;
  notifyAdmins: NotifyAdmins;
  requireStillAdmin: CallerChecks['requireStillAdmin'];
}

export type WebhookService = ReturnType<typeof createWebhookService>;

const KEPT_SECONDS = 14 * DAY;
/** Small, since one message can have 256 KiB. */
const FORGET_BATCH = 50;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export function createWebhookService(options: WebhookOptions) {
  const { db, clock, notifications } = options;
  const rules = receiverRules(options.networks);
  const dispatcher = createDispatcher({
    ...options,
    sender: createSender(rules),
    userAgent: `Guildhall/${options.version} (webhooks)`,
  });
  const checkFailing = createFailingCheck(options);
  let unsubscribe = () => {};

  return {
    ...createSubscriptionService({ ...options, rules }),
    ...createDeliveryService(options),

    readBacklog: () => dispatchStore(db).readBacklog(clock.now()),

    async deliver(signal: AbortSignal): Promise<JobResult> {
      const sent = await dispatcher.deliverDue(signal);
      const notices = await checkFailing(signal);
      return { processed: sent.processed + notices.processed, failed: sent.failed + notices.failed };
    },

    sweep(signal: AbortSignal): Promise<number> {
      const before = secondsFrom(clock.now(), -KEPT_SECONDS);
      return sweepInBatches(signal, (limit) => messageStore(db).deleteBefore(before, limit));
    },

    /** Must run in the transaction that closes the workspace. */
    closeWorkspace: (tx: Tx, brandId: number): Promise<void> =>
      closeWebhooks(tx, brandId, 'The workspace is being erased'),

    /** Removes a person's name and addresses from messages. Can be interrupted and repeated. */
    async forgetPerson(
      { userId, addresses }: { userId: number; addresses: string[] },
      brandIds: number[],
      signal: AbortSignal,
    ): Promise<void> {
      const store = messageStore(db);
      for (let after = FIRST_ID; ; ) {
        signal.throwIfAborted();
        const messages = await store.listNaming(brandIds, { userId, addresses }, after, FORGET_BATCH);
        if (messages.length === 0) return;
        const nameless = (body: string) =>
          JSON.stringify(withoutAddresses(withoutName(JSON.parse(body), userId), userId, addresses));
        await store.rewrite(messages.map((message) => ({ ...message, body: nameless(message.body) })));
        after = messages.at(-1)!.event_id;
      }
    },

    /** Called on background nodes only: sends committed messages at once. */
    start(): void {
      unsubscribe = notifications.subscribe(DELIVERIES_CHANNEL, dispatcher.wake);
      dispatcher.start();
    },

    async stop(): Promise<void> {
      unsubscribe();
      await dispatcher.stop();
    },
  };
}

export const webhookJobs = (webhooks: Pick<WebhookService, 'deliver' | 'sweep'>): JobDefinition[] => [
  {
    // Committed messages are sent at once; this job finds missed ones.
    name: 'webhook-deliver',
    description: 'Sends webhook messages that are due.',
    schedule: { everySeconds: 30 },
    run: ({ signal }) => webhooks.deliver(signal),
  },
  {
    name: 'webhook-sweep',
    description: 'Deletes webhook deliveries older than 14 days.',
    schedule: { cron: '23 * * * *' },
    run: async ({ signal }) => ({ processed: await webhooks.sweep(signal), failed: 0 }),
  },
];

const MOST_DAYS = 5;
const REASON = 'Nothing but failures for five days';
const NOTICE_LEASE = 5 * MINUTE;
const NOTICES_AT_ONCE = 20;

export type NotifyAdmins = (
  brandId: number,
  letter: { subject: string; paragraphs: [string, string] },
) => Promise<boolean>;

export interface FailingOptions {
  db: Db;
  clock: Clock;
  notifyAdmins: NotifyAdmins;
}

/** Disables webhooks that failed on each of five days, and notifies the admins after the commit. */
export function createFailingCheck({ db, clock, notifyAdmins }: FailingOptions) {
  const store = failingStore(db);
  return async (signal: AbortSignal): Promise<JobResult> => {
    const now = clock.now();
    await store.disable(secondsFrom(now, -MOST_DAYS * DAY), MOST_DAYS, REASON, now);
    const result: JobResult = { processed: 0, failed: 0 };
    const notices = await store.claimNotices(now, secondsFrom(now, NOTICE_LEASE), NOTICES_AT_ONCE);
    for (const { webhook_id, brand_id, url } of notices) {
      if (signal.aborted) break;
      // Only the host, since the rest of the address is often a secret.
      const { host } = new URL(url);
      const isSent = await notifyAdmins(brand_id, {
        subject: `The webhook to ${host} was turned off`,
        paragraphs: [
          `Guildhall could not deliver anything to the webhook at ${host} for five days, and has turned it off.`,
          'Once the receiver works again, turn it on in the settings of the workspace or with PATCH enabled: true. Events until then are not recorded for it.',
        ],
      });
      if (isSent) await store.noteNotice(webhook_id);
      if (isSent) result.processed += 1;
      else result.failed += 1;
    }
    return result;
  };
}
