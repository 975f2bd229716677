import type { ReactNode } from 'react';
import type { Pages } from '../api/resource.js';
import { Loaded, More } from './feedback.js';

interface PagedProps<P, I> {
  of: Pages<P>;
  /** What a page holds of the list. */
  items(page: P): I[];
  noun: string;
  total?(first: P): number | undefined;
  rows?: number;
  empty: ReactNode;
  children(items: I[]): ReactNode;
}

/** A list that is read page by page: what is there of it, how much that is, and the way to the rest. */
export function Paged<P, I>({ of, items, noun, total, rows, empty, children }: PagedProps<P, I>) {
  return (
    <Loaded of={of} rows={rows}>
      {(pages) => {
        const all = pages.flatMap(items);
        if (all.length === 0) return empty;
        return (
          <>
            {children(all)}
            <More
              shown={all.length}
              total={pages[0] && total?.(pages[0])}
              noun={noun}
              readMore={of.readMore}
              busy={of.readingMore}
            />
          </>
        );
      }}
    </Loaded>
  );
}
