import type { WebhookService } from '../features/webhooks/index.js';
import type { MemberCaller } from '../kernel/access.js';

/** One webhook, turned off: the demo world shows what one looks like and calls nobody. */
export async function seedWebhookDemo(webhooks: WebhookService, admin: MemberCaller): Promise<void> {
  const { webhook_id } = await webhooks.createWebhook(admin, {
    // An address of documentation: nothing answers there, and no name has to be looked up.
    url: 'https://hooks.acme.example/guildhall',
    events: ['task.moved', 'build.finished', 'desk.unreachable'],
    description: 'Tells the team chat what moves',
  });
  await webhooks.changeWebhook(admin, webhook_id, { enabled: false });
}
