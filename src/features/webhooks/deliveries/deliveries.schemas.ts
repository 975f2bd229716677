import { type Static, Type } from 'typebox';
import {
  Closed,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';

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
        status: Nullable(Type.Integer({ description: 'Of the answer; null: there was none.' })),
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
    OneOf(DELIVERY_STATUSES, { description: 'Only deliveries that have come this far.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the answer before.' })),
});

export const AcceptedDelivery = Named('AcceptedDelivery', Closed({ delivery_id: Uuid, event_id: Uuid }));
