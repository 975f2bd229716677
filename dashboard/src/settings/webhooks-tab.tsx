import { useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh, useResource } from '../api/resource.js';
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  rotateSecret,
  testWebhook,
  type Webhook,
} from '../api/webhooks.js';
import { goBackTo, navigate, usePlace, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Badge, Time } from '../ui/display.js';
import { Empty, ErrorNote, Loaded } from '../ui/feedback.js';
import { PlusIcon } from '../ui/icons.js';
import { Menu } from '../ui/menu.js';
import { Section } from '../ui/page.js';
import { SecretDialog } from '../ui/secret-dialog.js';
import { useToast } from '../ui/toast.js';
import { ScopeNote, useScopeCeiling } from './scope-note.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookForm } from './webhook-form.js';

export function WebhooksTab() {
  const { brand } = useSession();
  const { query } = usePlace();
  const key = `webhooks:${brand.brand_id}`;
  const webhooks = useResource(key, (signal) => listWebhooks(brand.brand_id, signal));
  const [editing, setEditing] = useState<Webhook | 'new'>();
  const [secret, setSecret] = useState<string>();
  const ceiling = useScopeCeiling();
  const opened = webhooks.data?.webhooks.find(({ webhook_id }) => webhook_id === query.get('webhook'));
  return (
    <Section
      title="Receivers"
      lead="Guildhall sends signed events to your programs and retries until they answer."
      actions={
        <Button icon={<PlusIcon size={16} />} onClick={() => setEditing('new')}>
          New webhook
        </Button>
      }
    >
      {ceiling && !ceiling.includes('brand:admin') && <ScopeNote scope="brand:admin" />}
      <Loaded of={webhooks}>
        {(data) =>
          data.webhooks.length === 0 ? (
            <Empty title="No webhooks yet">
              Enter an address and choose events, such as a finished build or a moved card.
            </Empty>
          ) : (
            <ul className="rows">
              {data.webhooks.map((webhook) => (
                <li key={webhook.webhook_id}>
                  <WebhookRow webhook={webhook} onEdit={() => setEditing(webhook)} onSecret={setSecret} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing && (
        <WebhookForm
          webhook={editing === 'new' ? undefined : editing}
          onMade={setSecret}
          onClose={() => setEditing(undefined)}
        />
      )}
      {secret && (
        <SecretDialog
          title="The signing secret"
          secrets={{ Secret: secret }}
          onClose={() => setSecret(undefined)}
        >
          Your program uses it to verify deliveries.
        </SecretDialog>
      )}
      {opened && (
        <WebhookDeliveries
          webhook={opened}
          onClose={() => goBackTo(withParameters({ webhook: null, status: null }))}
        />
      )}
    </Section>
  );
}

interface RowProps {
  webhook: Webhook;
  onEdit(): void;
  onSecret(secret: string): void;
}

function WebhookRow({ webhook, onEdit, onSecret }: RowProps) {
  const { brand } = useSession();
  const toast = useToast();
  const [asking, setAsking] = useState<'delete' | 'rotate'>();
  const ids = [brand.brand_id, webhook.webhook_id] as const;
  const act = useAction(async (perform: () => Promise<unknown>, said: string, undo?: () => void) => {
    await perform();
    refresh(`webhooks:${brand.brand_id}`);
    toast({ text: said, action: undo && { label: 'Undo', perform: undo } });
  });
  const turn = async (enabled: boolean): Promise<void> => {
    const said = enabled ? 'Webhook turned on' : 'Webhook turned off';
    await act.run(
      () => changeWebhook(...ids, { enabled }),
      said,
      () => void turn(!enabled),
    );
  };
  const open = () => navigate(withParameters({ webhook: webhook.webhook_id }));
  return (
    <div className="row">
      <span className="row-main">
        <span className="row-title">
          <button type="button" className="text-button mono" onClick={open}>
            {webhook.url}
          </button>
          {!webhook.enabled && <Badge tone="warn">off</Badge>}
        </span>
        {webhook.description && <span className="row-text">{webhook.description}</span>}
        {webhook.disabled_reason && <span className="bad small">{webhook.disabled_reason}</span>}
        <span className="tags">
          {webhook.events.map((event) => (
            <Badge key={event}>{event === '*' ? 'everything' : event}</Badge>
          ))}
        </span>
        <span className="muted small">
          made <Time at={webhook.created_at} />
        </span>
        {act.fault && <ErrorNote fault={act.fault} />}
      </span>
      <Menu
        label={`Manage ${webhook.url}`}
        items={[
          { label: 'Show deliveries', perform: open },
          {
            label: 'Send a test',
            disabled: !webhook.enabled,
            perform: () => void act.run(() => testWebhook(...ids), 'Test sent').then(open),
          },
          { label: 'Edit', perform: onEdit },
          {
            label: webhook.enabled ? 'Turn off' : 'Turn on',
            perform: () => void turn(!webhook.enabled),
          },
          { label: 'New secret', perform: () => setAsking('rotate') },
          { label: 'Delete', tone: 'danger', perform: () => setAsking('delete') },
        ]}
      />
      {asking === 'delete' && (
        <Confirm
          title="Delete this webhook?"
          submit="Delete webhook"
          onClose={() => setAsking(undefined)}
          perform={() => act.run(() => deleteWebhook(...ids), 'Webhook deleted')}
        >
          <p>This deletes its delivery log and stops deliveries to {webhook.url}.</p>
        </Confirm>
      )}
      {asking === 'rotate' && (
        <Confirm
          title="Create a new secret?"
          submit="Create secret"
          tone="primary"
          onClose={() => setAsking(undefined)}
          perform={async () => onSecret((await rotateSecret(...ids)).secret)}
        >
          <p>Both secrets sign each delivery for 24 hours, then only the new one.</p>
        </Confirm>
      )}
    </div>
  );
}
