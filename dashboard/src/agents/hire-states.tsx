import { useState } from 'react';
import { useAction } from '../api/action.js';
import { cancelAtPeriodEnd, cancelNow, type Hire } from '../api/agents.js';
import { refresh } from '../api/resource.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge, formatInstant, Time, type Tone } from '../ui/display.js';
import { useToast } from '../ui/toast.js';

const TONES: Record<Hire['status'], Tone> = { provisioning: 'info', active: 'good', canceled: 'plain' };

/** A period-end cancel that has not come to its end: the agent still works. */
const isLeaving = (hire: Hire): boolean =>
  hire.status === 'canceled' &&
  hire.cancel_at_period_end &&
  hire.effective_at !== null &&
  new Date(hire.effective_at).getTime() > Date.now();

export const canCancelNow = (hire: Hire): boolean => hire.status !== 'canceled' || isLeaving(hire);

export function HireStatus({ hire }: { hire: Hire }) {
  return (
    <span className="row-title">
      <Badge tone={TONES[hire.status]}>{hire.status}</Badge>
      {isLeaving(hire) && (
        <span className="small muted">
          works until <Time at={hire.effective_at} exact />
        </span>
      )}
    </span>
  );
}

interface CancelProps {
  hire: Hire;
  name: string;
  onClose(): void;
}

export function CancelDialog({ hire, name, onClose }: CancelProps) {
  const toast = useToast();
  const leaving = isLeaving(hire);
  const [way, setWay] = useState<'end' | 'now'>(leaving ? 'now' : 'end');
  const action = useAction(async () => {
    if (way === 'end') {
      const { effective_at } = await cancelAtPeriodEnd(hire.hire_id);
      toast({ text: `${name} works until ${formatInstant(effective_at)}` });
    } else {
      const { installs_disabled, installs_retained } = await cancelNow(hire.hire_id);
      toast({
        text: `Canceled: ${installs_disabled} tools turned off, ${installs_retained} kept for other hires`,
      });
    }
    refresh('hire');
    refresh('employees');
    onClose();
  });
  return (
    <FormDialog
      title={`Cancel ${name}?`}
      submit={way === 'end' ? 'Cancel at period end' : 'Cancel now'}
      tone="danger"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <fieldset className="choices">
        <legend className="off-screen">When</legend>
        {!leaving && (
          <label className="choice">
            <input type="radio" name="way" checked={way === 'end'} onChange={() => setWay('end')} />
            <span>
              <strong>At the end of the period</strong>
              <span className="muted"> Nothing changes until {formatInstant(hire.current_period_end)}.</span>
            </span>
          </label>
        )}
        <label className="choice">
          <input type="radio" name="way" checked={way === 'now'} onChange={() => setWay('now')} />
          <span>
            <strong>Now</strong>
            <span className="muted">
              {' '}
              Tools that no other hire needs are turned off within a minute. The agent can still be messaged.
            </span>
          </span>
        </label>
      </fieldset>
    </FormDialog>
  );
}
