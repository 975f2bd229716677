import { formatCents } from './spend-words.js';

interface SpentProps {
  label: string;
  spent: number;
  /** Null means no limit. */
  budget: number | null;
}

const NEARLY = 0.8;

export function SpentOf({ label, spent, budget }: SpentProps) {
  const share = budget === null ? 0 : budget === 0 ? 1 : Math.min(1, spent / budget);
  const state = budget !== null && (share >= 1 ? 'spent-all' : share >= NEARLY && 'spent-most');
  return (
    <div className={['spent-of', state].filter(Boolean).join(' ')}>
      <span className="spent-label">{label}</span>
      <span className="numbers">
        <strong>{formatCents(spent)}</strong>
        {budget === null ? (
          <span className="muted"> spent, no limit</span>
        ) : (
          <span className="muted"> of {formatCents(budget)}</span>
        )}
      </span>
      {budget !== null && (
        <span className="spent-track" aria-hidden="true">
          <span className="spent-fill" style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </div>
  );
}
