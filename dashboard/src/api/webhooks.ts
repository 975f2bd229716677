import type {
  CreateWebhookArguments,
  ListWebhookDeliveriesArguments,
  UpdateWebhookArguments,
  WebhookEvent,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { Webhook, WebhookDelivery, WebhookEvent } from '../../../client/src/index.js';

/** In the order of the guide; `*` is everything. */
export const EVENTS: readonly Exclude<WebhookEvent, '*'>[] = [
  'task.created',
  'task.updated',
  'task.moved',
  'task.commented',
  'task.deleted',
  'board.created',
  'board.updated',
  'build.queued',
  'build.started',
  'build.checking',
  'build.finished',
  'desk.ready',
  'desk.unreachable',
  'hire.active',
  'hire.canceled',
  'memory.created',
  'lesson.stale',
  'member.joined',
  'member.left',
];

export type WebhookFields = Omit<CreateWebhookArguments, 'brand_id'>;

export const listWebhooks = (brand_id: number, signal?: AbortSignal) =>
  guildhall.listWebhooks({ brand_id }, { signal });

export const createWebhook = (brand_id: number, fields: WebhookFields) =>
  guildhall.createWebhook({ ...fields, brand_id });

export const changeWebhook = (
  brand_id: number,
  webhook_id: string,
  changes: Omit<UpdateWebhookArguments, 'brand_id' | 'webhook_id'>,
) => guildhall.updateWebhook({ ...changes, brand_id, webhook_id });

export const deleteWebhook = (brand_id: number, webhook_id: string) =>
  guildhall.deleteWebhook({ brand_id, webhook_id });

export const rotateSecret = (brand_id: number, webhook_id: string) =>
  guildhall.rotateWebhookSecret({ brand_id, webhook_id });

export const testWebhook = (brand_id: number, webhook_id: string) =>
  guildhall.testWebhook({ brand_id, webhook_id });

export const listDeliveries = (filter: ListWebhookDeliveriesArguments, signal?: AbortSignal) =>
  guildhall.listWebhookDeliveries(filter, { signal });

export const replayDelivery = (brand_id: number, webhook_id: string, delivery_id: string) =>
  guildhall.replayWebhookDelivery({ brand_id, webhook_id, delivery_id });
