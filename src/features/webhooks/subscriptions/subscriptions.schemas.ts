import { type Static, Type } from 'typebox';
import {
  Closed,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { WEBHOOK_EVENTS } from '../../../platform/outbox/webhook-outbox.js';

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
  disabled_reason: Nullable(
    Type.String({ description: 'Why the service turned it off; null: an admin did, or nobody.' }),
  ),
};

export const Webhook = Named('Webhook', Closed(shown));
export type Webhook = Static<typeof Webhook>;

export const NewWebhook = Named(
  'NewWebhook',
  Closed({
    ...shown,
    secret: Type.String({ description: 'Verifies what is sent; shown this once.' }),
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
  description: 'A public https address without user name or password.',
  examples: ['https://hooks.example.com/guildhall'],
});
const events = Type.Array(EventName, {
  minItems: 1,
  maxItems: 50,
  description: '`*` is everything, also what is added later.',
  examples: [['task.moved', 'build.finished']],
});
const description = Nullable(Type.String({ maxLength: LONGEST_DESCRIPTION }), {
  description: 'What it is for; null for none.',
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
        description: 'false: nothing is recorded or sent; true: on again, `disabled_reason` goes.',
      }),
    ),
  }),
);
export type WebhookPatch = Static<typeof WebhookPatch>;
