import { useState } from 'react';
import { useAction } from '../api/action.js';
import { cancelAtPeriodEnd, cancelNow, type Hire } from '../api/agents.js';
import type { Workstation } from '../api/machines.js';
import { refresh } from '../api/resource.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge, formatInstant } from '../ui/display.js';
import { useToast } from '../ui/toast.js';
import { isLeaving, stateOfHire } from './hire-words.js';

export function HireStatus({ hire, desk }: { hire: Hire; desk: Workstation | undefined }) {
  const { words, tone, note } = stateOfHire(hire, desk);
  return (
    <span className="hire-state">
      <Badge tone={tone}>{words}</Badge>
      {note && <span className="muted small">{note}</span>}
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
      const { installs_disabled: off, installs_retained: kept } = await cancelNow(hire.hire_id);
      const tools = `${off} ${off === 1 ? 'tool' : 'tools'} turned off`;
      toast({ text: `Canceled: ${kept > 0 ? `${tools}, ${kept} kept for other hires` : tools}` });
    }
    refresh('hire');
    refresh('employees');
    refresh('desks');
    onClose();
  });
  return (
    <FormDialog
      title={`Cancel ${name}?`}
      submit={way === 'end' ? 'Cancel at period end' : 'Cancel now'}
      tone="danger"
      guard="none"
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
              <span className="muted block">
                Keeps working until {formatInstant(hire.current_period_end)}, and is not renewed then.
              </span>
            </span>
          </label>
        )}
        <label className="choice">
          <input type="radio" name="way" checked={way === 'now'} onChange={() => setWay('now')} />
          <span>
            <strong>Now</strong>
            <span className="muted block">{whatGoesNow(hire)}</span>
          </span>
        </label>
      </fieldset>
      <p className="muted small">The agent keeps its memory. You can hire it again at any time.</p>
    </FormDialog>
  );
}

function whatGoesNow(hire: Hire): string {
  const tools = 'Tools that no other hire needs are turned off within a minute.';
  const desk = hire.workstation_id ? ' Its desk is released, and what is built there ends.' : '';
  return `${tools}${desk} The agent can still be messaged. The rest of the period is not used.`;
}
