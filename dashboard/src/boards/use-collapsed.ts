import { useCallback, useState } from 'react';
import type { Column } from '../api/boards.js';
import { useSession } from '../shell/session.js';

type Choices = Record<string, boolean>;

/** Which columns are folded away: what is done is, until somebody opens it. Remembered by this browser, for each person. */
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

/** A browser may refuse to keep anything; then it is so until the page is opened anew. */
function write(key: string, choices: Choices): void {
  try {
    localStorage.setItem(key, JSON.stringify(choices));
  } catch {
    return;
  }
}
