import type {
  CreateWebhookArguments,
  ListWebhookDeliveriesArguments,
  UpdateWebhookArguments,
  WebhookEvent,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';
import { listWords } from './words.js';

export type { Webhook, WebhookDelivery, WebhookEvent } from '../../../client/src/index.js';

/** In the order of the webhook guide; `*` subscribes to everything. */
export const EVENTS = listWords<Exclude<WebhookEvent, '*'>>({
  'task.created': true,
  'task.updated': true,
  'task.moved': true,
  'task.commented': true,
  'task.deleted': true,
  'board.created': true,
  'board.updated': true,
  'build.queued': true,
  'build.started': true,
  'build.checking': true,
  'build.finished': true,
  'build.accepted': true,
  'build.reworked': true,
  'build.pushed': true,
  'budget.reached': true,
  'pr.merged': true,
  'pr.checks_failed': true,
  'pr.changes_requested': true,
  'desk.ready': true,
  'desk.unreachable': true,
  'hire.active': true,
  'hire.canceled': true,
  'memory.created': true,
  'lesson.stale': true,
  'member.joined': true,
  'member.left': true,
});

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
