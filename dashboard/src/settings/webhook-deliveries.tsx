import { useAction } from '../api/action.js';
import { usePages } from '../api/resource.js';
import { listDeliveries, replayDelivery, type Webhook, type WebhookDelivery } from '../api/webhooks.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Badge, Time, type Tone } from '../ui/display.js';
import { Empty, ErrorNote } from '../ui/feedback.js';
import { SelectField } from '../ui/field.js';
import { Paged } from '../ui/paged.js';
import { useToast } from '../ui/toast.js';

const STATES = ['pending', 'delivered', 'failed'] as const;
const TONES: Record<WebhookDelivery['status'], Tone> = { pending: 'info', delivered: 'good', failed: 'bad' };
const LIVE_MS = 3000;

export function WebhookDeliveries({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const { brand } = useSession();
  const { query } = usePlace();
  const status = STATES.find((state) => state === query.get('status'));
  const deliveries = usePages(
    `deliveries:${webhook.webhook_id}:${status ?? ''}`,
    (cursor, signal) =>
      listDeliveries({ brand_id: brand.brand_id, webhook_id: webhook.webhook_id, status, cursor }, signal),
    { pollMs: LIVE_MS, keep: true },
  );
  return (
    <Dialog shape="drawer" title="Deliveries" guard="none" onClose={onClose}>
      <div className="stack">
        <p className="mono">{webhook.url}</p>
        <SelectField
          label="Show"
          value={status ?? ''}
          onChange={(event) =>
            navigate(withParameters({ status: event.target.value || null }), { replace: true })
          }
        >
          <option value="">All of the last 14 days</option>
          {STATES.map((state) => (
            <option key={state} value={state}>
              Only {state}
            </option>
          ))}
        </SelectField>
        <Paged
          of={deliveries}
          items={(page) => page.deliveries}
          noun="deliveries"
          empty={<Empty title="No deliveries yet">Send a test to see one here.</Empty>}
        >
          {(all) => (
            <ul className="rows">
              {all.map((delivery) => (
                <li key={delivery.delivery_id}>
                  <Delivery webhook={webhook} delivery={delivery} onReplayed={deliveries.reload} />
                </li>
              ))}
            </ul>
          )}
        </Paged>
      </div>
    </Dialog>
  );
}

interface DeliveryProps {
  webhook: Webhook;
  delivery: WebhookDelivery;
  onReplayed(): void;
}

function Delivery({ webhook, delivery, onReplayed }: DeliveryProps) {
  const { brand } = useSession();
  const toast = useToast();
  const replay = useAction(async () => {
    await replayDelivery(brand.brand_id, webhook.webhook_id, delivery.delivery_id);
    toast({ text: 'Sending again' });
    onReplayed();
  });
  const last = delivery.attempts.at(-1);
  return (
    <details className="row-details">
      <summary className="row">
        <span className="row-main">
          <span className="row-title">
            <span className="mono">{delivery.event}</span>
            <Badge tone={TONES[delivery.status]}>{delivery.status}</Badge>
            {last?.status && <Badge>{last.status}</Badge>}
          </span>
          <span className="muted small">
            {delivery.attempts.length === 1 ? '1 attempt' : `${delivery.attempts.length} attempts`}
            {last && (
              <>
                , the last <Time at={last.at} />
              </>
            )}
            {delivery.next_attempt_at && (
              <>
                , the next <Time at={delivery.next_attempt_at} />
              </>
            )}
          </span>
        </span>
      </summary>
      <div className="stack details-body">
        {replay.fault && <ErrorNote fault={replay.fault} />}
        <div>
          <Button small busy={replay.busy} onClick={() => void replay.run()}>
            Send again
          </Button>
        </div>
        <p className="small">
          Message <span className="mono">{delivery.event_id}</span>
        </p>
        <ol className="plain-list">
          {delivery.attempts.map((attempt) => (
            <li key={attempt.at} className="small">
              <Time at={attempt.at} exact />: {attempt.status ?? 'no answer'} after {attempt.milliseconds} ms
              {attempt.error && <span className="bad"> {attempt.error}</span>}
            </li>
          ))}
        </ol>
      </div>
    </details>
  );
}
