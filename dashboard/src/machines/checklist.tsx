import type { Step } from '../api/machines.js';
import { plainWords } from '../ui/display.js';
import { CheckIcon, CloseIcon, LockIcon } from '../ui/icons.js';

const SIGNS = {
  done: <CheckIcon size={14} />,
  failed: <CloseIcon size={14} />,
  blocked: <LockIcon size={13} />,
  pending: <span className="step-pulse" />,
};

export function Checklist({ steps, label }: { steps: Step[]; label: string }) {
  return (
    <ol className="checklist" aria-label={label}>
      {steps.map((step) => (
        <li key={step.key} className={`step step-${step.state}`} data-step={step.key}>
          <span className="step-sign">{SIGNS[step.state]}</span>
          <div>
            <div className="step-title">
              <strong>{step.title}</strong>
              <span className="step-state">{step.state}</span>
            </div>
            {step.reason && <div className="small muted">{describeReason(step.reason, steps)}</div>}
            {step.hint && <div className="step-hint">{step.hint}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function describeReason(reason: string, steps: Step[]): string {
  const blocker = /^blocked_by:(.+)$/.exec(reason)?.[1];
  if (!blocker) return /^[a-z_]+$/.test(reason) ? plainWords(reason) : reason;
  return `waits for: ${steps.find(({ key }) => key === blocker)?.title ?? plainWords(blocker)}`;
}
