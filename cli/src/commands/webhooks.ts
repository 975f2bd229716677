import type { CreateWebhookArguments, Webhook, WebhookDelivery } from '../../../client/src/index.js';
import type { Call, Group } from '../command.js';
import { misuse } from '../failure.js';
import { given } from '../options.js';
import { confirmDeletion } from '../prompt.js';

const MOST_LISTED = 1000;

const columns = [
  { title: 'webhook', of: (hook: Webhook) => hook.webhook_id },
  { title: 'url', of: (hook: Webhook) => hook.url },
  { title: 'events', of: (hook: Webhook) => hook.events },
  { title: 'state', of: (hook: Webhook) => (hook.enabled ? 'on' : (hook.disabled_reason ?? 'off')) },
];

const placeOf = async (call: Call) => ({
  brand_id: await call.service().brandId(),
  webhook_id: call.args[0] ?? '',
});

export const webhooks: Group = {
  name: 'webhooks',
  about: 'Manage webhooks',
  commands: [
    {
      use: 'list',
      about: 'List the webhooks of the workspace.',
      examples: ['guildhall webhooks', 'guildhall webhooks list --json webhook_id,url'],
      async run(call) {
        const { brand_id } = await placeOf(call);
        const { webhooks: found } = await call
          .service()
          .client.listWebhooks({ brand_id }, { signal: call.signal });
        call.out.list(found, columns, 'No webhooks yet.');
      },
    },
    {
      use: 'create <url>',
      about: 'Create a webhook and print its signing secret once.',
      examples: [
        'guildhall webhooks create https://ci.example/guildhall --event build.finished --event task.moved',
      ],
      options: [
        ['--event <event>...', 'An event to send; default: all'],
        ['--description <text>', 'The description'],
      ],
      async run(call) {
        const { options, signal, out } = call;
        const events = (options.many('event') ?? ['*']) as CreateWebhookArguments['events'];
        const { brand_id } = await placeOf(call);
        const fields = given({
          brand_id,
          url: call.args[0]!,
          events,
          description: options.text('description'),
        });
        const hook = await call.service().client.createWebhook(fields, { signal });
        out.done(
          hook,
          `Created webhook ${hook.webhook_id}. Its signing secret, shown only once: ${hook.secret}`,
        );
      },
    },
    {
      use: 'edit <webhook>',
      about: 'Edit a webhook, or turn it on or off.',
      examples: ['guildhall webhooks edit 5d0f3a2e-2f7d-4b0a-9f61-2f1f4c7f5b10 --off'],
      options: [
        ['--url <url>', 'The URL to send events to'],
        ['--event <event>...', 'An event to send; replaces all events'],
        ['--description <text>', 'The description'],
        ['--on', 'Turn the webhook on'],
        ['--off', 'Turn the webhook off'],
      ],
      async run(call) {
        const { options, signal, out } = call;
        const changes = given({
          url: options.text('url'),
          events: options.many('event') as CreateWebhookArguments['events'] | undefined,
          description: options.text('description'),
          enabled: options.either('on', 'off'),
        });
        if (Object.keys(changes).length === 0)
          throw misuse('No changes given', 'Pass --url, --event, --description, --on or --off.');
        const hook = await call
          .service()
          .client.updateWebhook({ ...(await placeOf(call)), ...changes }, { signal });
        out.done(hook, `Updated ${Object.keys(changes).join(', ')} of the webhook.`);
      },
    },
    {
      use: 'remove <webhook>',
      about: 'Remove a webhook and its delivery history.',
      examples: ['guildhall webhooks remove 5d0f3a2e-2f7d-4b0a-9f61-2f1f4c7f5b10 --yes'],
      options: [['--yes', 'Skip the confirmation']],
      async run(call) {
        const place = await placeOf(call);
        await confirmDeletion(`Remove webhook ${place.webhook_id}?`, call.options.flag('yes'));
        await call.service().client.deleteWebhook(place, { signal: call.signal });
        call.out.done(
          { webhook_id: place.webhook_id, removed: true },
          `Removed webhook ${place.webhook_id}.`,
        );
      },
    },
    {
      use: 'rotate <webhook>',
      about:
        'Rotate the signing secret of a webhook and print the new one once. Both secrets sign for 24 hours.',
      examples: ['guildhall webhooks rotate 5d0f3a2e-2f7d-4b0a-9f61-2f1f4c7f5b10'],
      async run(call) {
        const rotated = await call
          .service()
          .client.rotateWebhookSecret(await placeOf(call), { signal: call.signal });
        call.out.done(rotated, `New signing secret, shown only once: ${rotated.secret}`);
      },
    },
    {
      use: 'test <webhook>',
      about: 'Send a test event to a webhook.',
      examples: ['guildhall webhooks test 5d0f3a2e-2f7d-4b0a-9f61-2f1f4c7f5b10'],
      async run(call) {
        const sent = await call.service().client.testWebhook(await placeOf(call), { signal: call.signal });
        call.out.done(
          sent,
          `Queued test delivery ${sent.delivery_id}. Check it with: guildhall webhooks deliveries ${call.args[0]}`,
        );
      },
    },
    {
      use: 'deliveries <webhook>',
      about: 'List the deliveries of a webhook, newest first.',
      examples: ['guildhall webhooks deliveries 5d0f3a2e-2f7d-4b0a-9f61-2f1f4c7f5b10 --status failed'],
      options: [['--status <status>', 'Only this status: pending, delivered or failed']],
      async run(call) {
        const place = await placeOf(call);
        const status = call.options.text('status') as never;
        const found: WebhookDelivery[] = [];
        let cursor: string | undefined;
        do {
          const fields = given({ ...place, status, cursor });
          const page = await call.service().client.listWebhookDeliveries(fields, { signal: call.signal });
          found.push(...page.deliveries);
          cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined && found.length < MOST_LISTED);
        call.out.list(found, [
          { title: 'delivery', of: (each) => each.delivery_id },
          { title: 'event', of: (each) => each.event },
          { title: 'status', of: (each) => each.status },
          { title: 'attempts', of: (each) => each.attempts.length },
          { title: 'last result', of: (each) => each.attempts.at(-1)?.status ?? each.attempts.at(-1)?.error },
          { title: 'next attempt', of: (each) => each.next_attempt_at },
        ]);
        if (cursor !== undefined) call.out.part(found.length, undefined, 'narrow it with --status');
      },
    },
    {
      use: 'replay <webhook> <delivery>',
      about: 'Redeliver an event to a webhook.',
      examples: [
        'guildhall webhooks replay 5d0f3a2e-2f7d-4b0a-9f61-2f1f4c7f5b10 9e2b7a31-4a1f-4b6e-8c5a-1a9f0e6d7c22',
      ],
      async run(call) {
        const place = { ...(await placeOf(call)), delivery_id: call.args[1]! };
        const sent = await call.service().client.replayWebhookDelivery(place, { signal: call.signal });
        call.out.done(sent, `Queued delivery ${call.args[1]} again.`);
      },
    },
  ],
};
