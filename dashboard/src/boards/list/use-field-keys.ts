import { useMemo, useRef } from 'react';
import { type Command, useCommands } from '../../shell/commands.js';
import { nameRow } from './card-row.js';

const FIELDS = [
  ['s', 'status'],
  ['a', 'assignee'],
  ['p', 'priority'],
  ['d', 'due'],
] as const;

export function useFieldKeys(group: string, edit: boolean, current: () => string | undefined): void {
  const latest = useRef(current);
  latest.current = current;
  const commands = useMemo<Command[]>(() => {
    if (!edit) return [];
    const row = () => {
      const cardId = latest.current();
      return cardId ? document.querySelector(`[data-card="${CSS.escape(cardId)}"]`) : null;
    };
    return [
      ...FIELDS.map(
        ([keys, field]): Command => ({
          id: `row-${field}`,
          label: `Change the ${field === 'due' ? 'due date' : field} of the card`,
          group,
          keys,
          perform: () => openField(row()?.querySelector<HTMLElement>(`[data-field="${field}"]`)),
        }),
      ),
      { id: 'row-title', label: 'Edit the title', group, keys: 'F2', perform: () => nameRow(row()) },
    ];
  }, [group, edit]);
  useCommands(commands);
}

function openField(field: HTMLElement | null | undefined): void {
  if (field instanceof HTMLSelectElement) {
    field.focus();
    // Not every browser supports showPicker here; the arrow keys work in all of them.
    try {
      field.showPicker();
    } catch {
      return;
    }
  } else field?.querySelector('button')?.click();
}
