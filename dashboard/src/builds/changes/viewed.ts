import { useCallback, useState } from 'react';
import type { Build } from '../../api/builds.js';
import { useSession } from '../../shell/session.js';

/** Viewed files with a digest of their changes, so files unchanged in a later attempt stay viewed. */
export interface Viewed {
  has(path: string, digest: string): boolean;
  toggle(path: string, digest: string): void;
}

type Marks = Record<string, string>;

export function useViewed({ task_id }: Build): Viewed {
  const { user, brand } = useSession();
  const key = `guildhall:viewed:${brand.brand_id}:${user.user_id}:${task_id}`;
  const [marks, setMarks] = useState<Marks>(() => read(key));
  const has = (path: string, digest: string) => marks[path] === digest;
  const toggle = useCallback(
    (path: string, digest: string) =>
      setMarks((all) => {
        const { [path]: before, ...rest } = all;
        const next = before === digest ? rest : { ...rest, [path]: digest };
        write(key, next);
        return next;
      }),
    [key],
  );
  return { has, toggle };
}

function read(key: string): Marks {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Marks;
  } catch {
    return {};
  }
}

/** Without localStorage the marks last until the page is reloaded. */
function write(key: string, marks: Marks): void {
  try {
    localStorage.setItem(key, JSON.stringify(marks));
  } catch {
    return;
  }
}
