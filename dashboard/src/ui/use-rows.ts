import { useCallback, useMemo, useRef, useState } from 'react';
import { type Command, useCommands } from '../shell/commands.js';

interface Rows {
  /** Index of the row that keyboard shortcuts apply to. */
  at: number;
  /** Attach to the container of the rows; each row carries `data-row`. */
  list: React.RefObject<HTMLElement | null>;
  choose(at: number): void;
}

export function useRows(count: number, group: string, actions: Omit<Command, 'group' | 'id'>[]): Rows {
  const [wanted, setWanted] = useState(0);
  const list = useRef<HTMLElement>(null);
  const at = Math.max(0, Math.min(wanted, count - 1));
  const choose = useCallback((place: number) => {
    setWanted(place);
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${place}"]`);
    const target = row?.matches('a, button') ? row : row?.querySelector<HTMLElement>('a, button');
    target?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }, []);
  const latest = useRef({ at, count, actions });
  latest.current = { at, count, actions };
  const labels = actions.map(({ label, keys }) => `${label}\n${keys}`).join('\t');

  useCommands(
    // biome-ignore lint/correctness/useExhaustiveDependencies: an action is looked up when it is performed
    useMemo(
      () => [
        {
          id: `${group}-next`,
          label: 'Next',
          group,
          keys: 'j',
          perform: () => choose(Math.min(latest.current.count - 1, latest.current.at + 1)),
        },
        {
          id: `${group}-previous`,
          label: 'Previous',
          group,
          keys: 'k',
          perform: () => choose(Math.max(0, latest.current.at - 1)),
        },
        ...latest.current.actions.map((action, place) => ({
          ...action,
          id: `${group}-${action.label}`,
          group,
          perform: () => latest.current.actions[place]?.perform(),
        })),
      ],
      [group, labels, choose],
    ),
  );
  return { at, list, choose };
}
