import { type Static, Type } from 'typebox';
import { Closed, Named, Nullable, OneOf, Timestamp, Uuid } from '../../platform/http/declaration/schemas.js';
import { WEBHOOK_EVENTS } from '../../platform/outbox/outbox.js';

const LONGEST_URL = 2048;
const LONGEST_DESCRIPTION = 500;

const EventName = Named('WebhookEvent', OneOf([...WEBHOOK_EVENTS, '*']));

const shown = {
  webhook_id: Uuid,
  url: Type.String(),
  events: Type.Array(EventName),
  description: Nullable(Type.String()),
  enabled: Type.Boolean(),
  created_at: Timestamp,
  disabled_reason: Nullable(Type.String({ description: 'Why Guildhall turned it off. Null if it did not.' })),
};

export const Webhook = Named('Webhook', Closed(shown));
export type Webhook = Static<typeof Webhook>;

export const NewWebhook = Named(
  'NewWebhook',
  Closed({
    ...shown,
    secret: Type.String({ description: 'Signs messages. Returned only once.' }),
  }),
);

export const WebhookList = Named(
  'WebhookList',
  Closed({ webhooks: Type.Array(Webhook), total: Type.Integer() }),
);

export const WebhookSecret = Named('WebhookSecret', Closed({ secret: Type.String() }));

const url = Type.String({
  minLength: 1,
  maxLength: LONGEST_URL,
  description: 'A public https address without a user name or password.',
  examples: ['https://hooks.example.com/guildhall'],
});
const events = Type.Array(EventName, {
  minItems: 1,
  maxItems: 50,
  description: 'The events to send. `*` means all, including events added later.',
  examples: [['task.moved', 'build.finished']],
});
const description = Nullable(Type.String({ maxLength: LONGEST_DESCRIPTION }), {
  description: 'A note for people. Null: no note.',
});

export const WebhookInput = Named(
  'WebhookInput',
  Closed({ url, events, description: Type.Optional(description) }),
);
export type WebhookInput = Static<typeof WebhookInput>;

export const WebhookPatch = Named(
  'WebhookPatch',
  Closed({
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(description),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'false stops recording and sending. true turns it on and clears `disabled_reason`.',
      }),
    ),
  }),
);
export type WebhookPatch = Static<typeof WebhookPatch>;

const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export const Delivery = Named(
  'WebhookDelivery',
  Closed({
    delivery_id: Uuid,
    event_id: Uuid,
    event: Type.String(),
    status: OneOf(DELIVERY_STATUSES),
    attempts: Type.Array(
      Closed({
        at: Timestamp,
        status: Nullable(Type.Integer({ description: 'HTTP status of the response. Null: no response.' })),
        milliseconds: Type.Integer(),
        error: Nullable(Type.String()),
      }),
    ),
    next_attempt_at: Nullable(Timestamp),
  }),
);
export type Delivery = Static<typeof Delivery>;
export type DeliveryStatus = Delivery['status'];

export const DeliveryPage = Named(
  'WebhookDeliveryPage',
  Closed({ deliveries: Type.Array(Delivery), next_cursor: Nullable(Type.String()) }),
);

export const DeliveryQuery = Type.Object({
  status: Type.Optional(
    OneOf(DELIVERY_STATUSES, { description: 'Return only deliveries with this status.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
});

export const AcceptedDelivery = Named('AcceptedDelivery', Closed({ delivery_id: Uuid, event_id: Uuid }));
