import { useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh } from '../api/resource.js';
import { changeWebhook, createWebhook, EVENTS, type Webhook, type WebhookEvent } from '../api/webhooks.js';
import { useSession } from '../shell/session.js';
import { FormDialog } from '../ui/dialog.js';
import { Checkbox, TextField } from '../ui/field.js';

interface FormProps {
  webhook: Webhook | undefined;
  /** Receives the secret of a new webhook, which is shown once. */
  onMade(secret: string): void;
  onClose(): void;
}

const FIRST_CHOICE: WebhookEvent[] = ['build.finished', 'task.moved'];

export function WebhookForm({ webhook, onMade, onClose }: FormProps) {
  const { brand } = useSession();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<WebhookEvent[]>(webhook?.events ?? FIRST_CHOICE);
  const everything = events.includes('*');
  const save = useAction(async () => {
    const fields = { url: url.trim(), description: description.trim() || null, events };
    if (webhook) await changeWebhook(brand.brand_id, webhook.webhook_id, fields);
    else onMade((await createWebhook(brand.brand_id, fields)).secret);
    refresh(`webhooks:${brand.brand_id}`);
    onClose();
  });
  const choose = (event: WebhookEvent, on: boolean) =>
    setEvents(on ? [...events, event] : events.filter((each) => each !== event));
  return (
    <FormDialog
      title={webhook ? 'Edit webhook' : 'New webhook'}
      shape="wide"
      submit={webhook ? 'Save' : 'Create webhook'}
      action={save}
      disabled={events.length === 0}
      onSubmit={() => void save.run()}
      onClose={onClose}
    >
      <TextField
        label="Address"
        field="url"
        type="url"
        required
        placeholder="https://example.com/guildhall"
        hint="A public https address without a user name or password in it."
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label="Description"
        field="description"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <fieldset className="choices">
        <legend>Events</legend>
        <Checkbox
          label="All events, including future ones"
          checked={everything}
          onChange={(on) => setEvents(on ? ['*'] : FIRST_CHOICE)}
        />
        {!everything && (
          <div className="event-grid">
            {EVENTS.map((event) => (
              <Checkbox
                key={event}
                label={<span className="mono">{event}</span>}
                checked={events.includes(event)}
                onChange={(on) => choose(event, on)}
              />
            ))}
          </div>
        )}
      </fieldset>
    </FormDialog>
  );
}
