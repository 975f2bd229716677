import type { ReactNode } from 'react';
import type { CardPatch, FullCard } from '../api/boards.js';
import type { Toast } from '../ui/toast.js';

/** Sends one field change and shows the result before the service confirms it. */
export type SetField = (
  body: CardPatch,
  shown: Partial<FullCard>,
  words: string,
  offer?: Toast['offer'],
) => void;

export function Row({ name, field, children }: { name: string; field: string; children: ReactNode }) {
  return (
    <div className="card-field" data-field={field}>
      <span className="card-field-name">{name}</span>
      <div className="card-field-value">{children}</div>
    </div>
  );
}
