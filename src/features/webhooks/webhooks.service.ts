import { type Clock, DAY, secondsFrom } from '../../kernel/clock.js';
import { withoutAddresses, withoutName } from '../../kernel/former-member.js';
import type { Log } from '../../kernel/log.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { PassResult } from '../../platform/jobs/jobs.js';
import { sweepInBatches } from '../../platform/jobs/sweep.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { StillAllowed } from '../identity/index.js';
import { createDeliveryService } from './deliveries/deliveries.service.js';
import { dispatchStore } from './deliveries/dispatch.store.js';
import { createDispatcher } from './deliveries/dispatcher.js';
import { createFailingCheck, type TellAdmins } from './deliveries/failing-webhooks.js';
import { createSender } from './deliveries/sender.js';
import { messageStore } from './messages/messages.store.js';
import { DELIVERIES_CHANNEL } from './messages/outbox.service.js';
import { receiverRules } from './subscriptions/receiver-address.js';
import { createSubscriptionService } from './subscriptions/subscriptions.service.js';
import { closeWebhooks } from './subscriptions/subscriptions.store.js';

export { createWebhookOutbox } from './messages/outbox.service.js';

export interface WebhookOptions {
  db: Db;
  clock: Clock;
  log: Log;
  secrets: SecretBox;
  notifications: Notifications;
  cursorSecret: string;
  /** Private networks that receivers may be in. */
  networks: readonly string[];
  version: string;
  tellAdmins: TellAdmins;
  requireStillAdmin: StillAllowed['requireStillAdmin'];
}

export type WebhookService = ReturnType<typeof createWebhookService>;

const KEPT_SECONDS = 14 * DAY;
/** Few, since a message may have 256 KiB. */
const FORGET_BATCH = 50;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Webhooks of workspaces and the delivery of their messages. */
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

    async deliver(signal: AbortSignal): Promise<PassResult> {
      const sent = await dispatcher.deliverDue(signal);
      const notices = await checkFailing(signal);
      return { processed: sent.processed + notices.processed, failed: sent.failed + notices.failed };
    },

    sweep(signal: AbortSignal): Promise<number> {
      const before = secondsFrom(clock.now(), -KEPT_SECONDS);
      return sweepInBatches(signal, (limit) => messageStore(db).deleteBefore(before, limit));
    },

    /** In the transaction that closes the workspace. */
    closeWorkspace: (tx: Tx, brandId: number): Promise<void> =>
      closeWebhooks(tx, brandId, 'The workspace is being erased'),

    /** Removes the name and addresses of a person from messages. Can be interrupted and repeated. */
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

    /** On background nodes: sends committed messages at once. */
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
