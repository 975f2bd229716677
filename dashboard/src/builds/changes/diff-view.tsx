import { useState } from 'react';
import { Button } from '../../ui/button.js';
import { Checkbox } from '../../ui/field.js';

export interface DiffView {
  split: boolean;
  /** Whether whitespace-only changes count. */
  blanks: boolean;
}

const KEY = 'guildhall:diff-view';
const USUAL: DiffView = { split: false, blanks: true };

export function useDiffView(): [DiffView, (view: DiffView) => void] {
  const [view, setView] = useState(read);
  return [
    view,
    (wanted) => {
      write(wanted);
      setView(wanted);
    },
  ];
}

function read(): DiffView {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return USUAL;
  }
}

function write(view: DiffView): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(view));
  } catch {
    return;
  }
}

interface BarProps {
  view: DiffView;
  onView(view: DiffView): void;
  viewed: number;
  total: number;
  allOpen: boolean;
  onOpenAll(open: boolean): void;
  onNext(): void;
}

export function DiffBar({ view, onView, viewed, total, allOpen, onOpenAll, onNext }: BarProps) {
  return (
    <div className="diff-bar">
      <span className="muted small numbers">
        {viewed} of {total} viewed
      </span>
      <Button small disabled={viewed === total} onClick={onNext}>
        Next unviewed
      </Button>
      <Button small onClick={() => onOpenAll(!allOpen)}>
        {allOpen ? 'Collapse all' : 'Expand all'}
      </Button>
      <span className="diff-bar-space" />
      <Checkbox label="Side by side" checked={view.split} onChange={(split) => onView({ ...view, split })} />
      <Checkbox
        label="Hide whitespace"
        checked={!view.blanks}
        onChange={(without) => onView({ ...view, blanks: !without })}
      />
    </div>
  );
}
