import type { MemoryHit } from '../api/memory.js';

export type Reason = NonNullable<MemoryHit['explain']>;

const PARTS = [
  { key: 'words', label: 'Words' },
  { key: 'meaning', label: 'Meaning' },
  { key: 'names', label: 'Names' },
] as const;

const WAYS = { stem: 'the word', part: 'part of a name', prefix: 'a word prefix' } as const;

/**
 * Explains why a search returned a memory. A bar's length is the weight of its factor and its fill is the
 * memory's value, so the filled lengths add up to the rank.
 */
export function Why({ reason }: { reason: Reason }) {
  if (reason.match === null) return null;
  const heaviest = Math.max(...PARTS.map(({ key }) => reason[key].weight), 0.01);
  return (
    <span className="why">
      <span className="why-match">
        <b>{Math.round(reason.match * 100)}%</b> of the best match
      </span>
      {PARTS.filter(({ key }) => reason[key].weight > 0).map(({ key, label }) => (
        <Part key={key} label={label} {...reason[key]} heaviest={heaviest} />
      ))}
      {reason.terms.map((term) => (
        <span key={term.term} className="why-term">
          <b>{term.term}</b> {WAYS[term.matched]}
          {term.in_title ? ', in the title' : ''}
        </span>
      ))}
    </span>
  );
}

interface PartProps {
  label: string;
  value: number | null;
  weight: number;
  heaviest: number;
}

function Part({ label, value, weight, heaviest }: PartProps) {
  const share = Math.min(1, Math.max(0, value ?? 0));
  const told = value === null ? 'unknown' : `${Math.round(share * 100)}%`;
  return (
    <span className="why-part" title={`${label}: ${told}, weight ${weight}`}>
      <span className="why-name">{label}</span>
      <span className="why-track" style={{ width: `${Math.max(10, (weight / heaviest) * 90)}px` }}>
        <span className="why-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="why-value">
        {told}
        <span className="off-screen">, weight {weight}</span>
      </span>
    </span>
  );
}
