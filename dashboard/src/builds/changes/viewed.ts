import { useCallback, useState } from 'react';
import type { Build } from '../../api/builds.js';
import { useSession } from '../../shell/session.js';

/** The files of a card that somebody has looked at, each by what it said then: what a later attempt leaves alone stays viewed. */
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

/** A browser may refuse to keep anything; then the marks last as long as the page. */
function write(key: string, marks: Marks): void {
  try {
    localStorage.setItem(key, JSON.stringify(marks));
  } catch {
    return;
  }
}
