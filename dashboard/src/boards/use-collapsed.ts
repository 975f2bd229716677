import { useCallback, useState } from 'react';
import type { Column } from '../api/boards.js';
import { useSession } from '../shell/session.js';

type Choices = Record<string, boolean>;

/** Collapsed columns, remembered per user and board in this browser. Done columns start collapsed. */
export function useCollapsed(boardId: string) {
  const { user } = useSession();
  const key = `guildhall:columns:${user.user_id}:${boardId}`;
  const [choices, setChoices] = useState(() => read(key));
  const isCollapsed = useCallback(
    ({ id, status }: Column): boolean => choices[id] ?? status === 'done',
    [choices],
  );
  const toggle = useCallback(
    (column: Column) =>
      setChoices((before) => {
        const after = { ...before, [column.id]: !(before[column.id] ?? column.status === 'done') };
        write(key, after);
        return after;
      }),
    [key],
  );
  return { isCollapsed, toggle };
}

function read(key: string): Choices {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Choices;
  } catch {
    return {};
  }
}

/** Without localStorage the choice lasts until the page is reloaded. */
function write(key: string, choices: Choices): void {
  try {
    localStorage.setItem(key, JSON.stringify(choices));
  } catch {
    return;
  }
}
