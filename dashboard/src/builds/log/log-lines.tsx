import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { LogBook } from './log-book.js';
import { LogRow } from './log-row.js';

const ROW_HEIGHT = 20;
/** Distance from the end in pixels that still counts as the end. */
const NEAR_END = 24;
const LEAVING_KEYS = ['ArrowUp', 'PageUp', 'Home'];

interface LinesProps {
  book: LogBook;
  label: string;
  following: boolean;
  onFollowing(following: boolean): void;
  times?: boolean;
  words?: string;
  /** The line to scroll to; a new object for each request, even for the same line. */
  goal?: { line: number };
}

/** A virtualized log: only lines near the viewport are mounted. */
export function LogLines({
  book,
  label,
  following,
  onFollowing,
  times = false,
  words = '',
  goal,
}: LinesProps) {
  const frame = useRef<HTMLElement>(null);
  const count = book.lines.length;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  useScrolling(rows, count, following, goal);
  return (
    <section
      ref={frame}
      className="log-lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard too
      tabIndex={0}
      aria-label={label}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        if (scrollHeight - scrollTop - clientHeight <= NEAR_END) onFollowing(true);
      }}
      onWheel={(event) => event.deltaY < 0 && onFollowing(false)}
      onTouchMove={() => onFollowing(false)}
      onKeyDown={(event) => LEAVING_KEYS.includes(event.key) && onFollowing(false)}
    >
      <div className="log-space" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => (
          <LogRow
            key={item.index}
            number={item.index}
            line={book.lines[item.index]!}
            raw={book.lines[item.index]!.raw}
            top={item.start}
            measure={rows.measureElement}
            times={times}
            words={words}
            current={goal?.line === item.index}
          />
        ))}
      </div>
    </section>
  );
}

function useScrolling(
  rows: Virtualizer<HTMLElement, Element>,
  count: number,
  following: boolean,
  goal: LinesProps['goal'],
): void {
  const latest = useRef(rows);
  latest.current = rows;
  useEffect(() => {
    if (following && count > 0) latest.current.scrollToIndex(count - 1, { align: 'end' });
  }, [count, following]);
  useEffect(() => {
    if (goal) latest.current.scrollToIndex(goal.line, { align: 'center' });
  }, [goal]);
}
