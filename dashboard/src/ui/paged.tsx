import type { ReactNode } from 'react';
import type { Pages } from '../api/resource.js';
import { Loaded, More } from './feedback.js';

interface PagedProps<P, I> {
  of: Pages<P>;
  items(page: P): I[];
  noun: string;
  total?(first: P): number | undefined;
  rows?: number;
  empty: ReactNode;
  children(items: I[]): ReactNode;
}

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
