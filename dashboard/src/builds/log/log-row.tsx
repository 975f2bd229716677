import { Fragment, memo, type ReactNode } from 'react';
import { classesOf, type Piece, readAnsi } from './ansi.js';
import { isGap, type LogLine } from './log-book.js';

interface RowProps {
  number: number;
  line: LogLine;
  /** The line object is mutated as it grows, so this text triggers the render. */
  raw: string;
  top: number;
  measure(element: Element | null): void;
  times: boolean;
  words: string;
  current: boolean;
}

export const LogRow = memo(function LogRow({ number, line, top, measure, times, words, current }: RowProps) {
  const classes = ['log-row', isGap(line) && 'log-gap', current && 'log-found'].filter(Boolean).join(' ');
  return (
    <div ref={measure} data-index={number} className={classes} style={{ transform: `translateY(${top}px)` }}>
      <span className="log-number" aria-hidden="true">
        {number + 1}
      </span>
      {times && (
        <time className="log-time" dateTime={line.at}>
          {clock.format(new Date(line.at))}
        </time>
      )}
      <span className="log-text">
        {readAnsi(line.raw, line.start).pieces.map((piece, at) => draw(piece, words, at))}
      </span>
    </div>
  );
});

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

function draw({ text, look }: Piece, words: string, key: number): ReactNode {
  const classes = classesOf(look);
  const marked = mark(text, words);
  return classes ? (
    <span key={key} className={classes}>
      {marked}
    </span>
  ) : (
    <Fragment key={key}>{marked}</Fragment>
  );
}

function mark(text: string, words: string): ReactNode {
  const at = words ? text.toLowerCase().indexOf(words.toLowerCase()) : -1;
  if (at === -1) return text;
  const end = at + words.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {mark(text.slice(end), words)}
    </>
  );
}
