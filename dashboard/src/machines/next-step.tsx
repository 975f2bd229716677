import { useState } from 'react';
import type { Workstation } from '../api/machines.js';
import { Button } from '../ui/button.js';
import { needsInstaller, openStep, whyWaiting } from './desk-words.js';
import { NewCommand } from './installer-dialog.js';

interface NextStepProps {
  desk: Workstation;
  installed: boolean;
}

export function NextStep({ desk, installed }: NextStepProps) {
  const [making, setMaking] = useState(false);
  const step = openStep(desk);
  if (!step) return null;
  return (
    <section className={`next-step next-step-${step.state}`} aria-label="Next step">
      <div className="next-step-text">
        <h2>{step.state === 'failed' ? 'Needs your attention' : 'Next step'}</h2>
        <p>
          <strong>The desk {whyWaiting(desk)}.</strong>
        </p>
        <p className="muted small">
          {needsInstaller(step)
            ? 'See the details below. The command is shown only once because it contains the desk’s token.'
            : step.hint}
        </p>
      </div>
      {needsInstaller(step) && (
        <Button tone="primary" onClick={() => setMaking(true)}>
          Get an install command
        </Button>
      )}
      {making && (
        <NewCommand deskId={desk.workstation_id} first={!installed} onClose={() => setMaking(false)} />
      )}
    </section>
  );
}
