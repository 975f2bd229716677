import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Build } from '../../api/builds.js';
import { useCommands } from '../../shell/commands.js';
import { Button } from '../../ui/button.js';
import { Empty, ErrorNote } from '../../ui/feedback.js';
import { DownloadIcon } from '../../ui/icons.js';
import { useSettled } from '../../ui/settled.js';
import { explain, isOpen } from '../build-words.js';
import type { LogBook } from './log-book.js';
import { LogLines } from './log-lines.js';
import { LogSearch } from './log-search.js';
import { type LiveLog, useLog } from './use-log.js';

export function LogTab({ build, book }: { build: Build; book: LogBook }) {
  const log = useLog(build.build_id, book);
  const [following, setFollowing] = useState(true);
  const [times, setTimes] = useState(false);
  const [words, setWords] = useState('');
  const [found, setFound] = useState(0);
  const [goal, setGoal] = useState<{ line: number }>();
  const search = useRef<HTMLInputElement>(null);
  const sought = useSettled(words.trim(), 150);
  const count = book.lines.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the book is filled in place; its length tells
  const matches = useMemo(() => book.find(sought), [book, sought, count]);
  const goTo = useCallback(
    (index: number) => {
      const line = matches[index];
      setGoal(line === undefined ? undefined : { line });
      if (line === undefined) return;
      setFound(index);
      setFollowing(false);
    },
    [matches],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words begin at their first place
  useEffect(() => goTo(0), [sought]);
  useLogCommands(setFollowing, search);

  return (
    <section className="log" aria-label="Log">
      <div className="log-bar">
        <LogSearch
          field={search}
          words={words}
          onWords={setWords}
          sought={sought}
          found={found}
          total={matches.length}
          onGo={goTo}
        />
        <LogState build={build} log={log} />
        <Button small tone="quiet" aria-pressed={times} onClick={() => setTimes(!times)}>
          Times
        </Button>
        {!book.finished && (
          <Button small tone="quiet" aria-pressed={following} onClick={() => setFollowing(!following)}>
            {following ? 'Stop following' : 'Follow'}
          </Button>
        )}
        <Button
          small
          icon={<DownloadIcon size={15} />}
          disabled={count === 0}
          onClick={() => download(build, book)}
        >
          Download
        </Button>
      </div>
      {log.fault && log.fault.status >= 400 && <ErrorNote fault={log.fault} />}
      {count === 0 ? (
        <Empty title={isOpen(build) ? 'Nothing printed yet' : 'The coder printed no output'}>
          {isOpen(build)
            ? (explain(build) ?? 'The first lines appear here as the coder prints them.')
            : build.reason}
        </Empty>
      ) : (
        <LogLines
          book={book}
          label="Lines of the log"
          following={following}
          onFollowing={setFollowing}
          times={times}
          words={sought}
          goal={goal}
        />
      )}
    </section>
  );
}

function useLogCommands(
  setFollowing: (change: (before: boolean) => boolean) => void,
  search: React.RefObject<HTMLInputElement | null>,
): void {
  useCommands(
    useMemo(
      () => [
        {
          id: 'log-follow',
          label: 'Follow the log, or stop following',
          group: 'Build',
          keys: 'f',
          perform: () => setFollowing((before) => !before),
        },
        {
          id: 'log-search',
          label: 'Search in the log',
          group: 'Build',
          keys: '/',
          perform: () => search.current?.focus(),
        },
      ],
      [setFollowing, search],
    ),
  );
}

function LogState({ build, log }: { build: Build; log: LiveLog }) {
  const { book, state } = log;
  const lines = `${book.lines.length.toLocaleString('en')} ${book.lines.length === 1 ? 'line' : 'lines'}`;
  const live = !book.finished && isOpen(build);
  const words = book.finished ? 'complete' : state === 'open' ? (live ? 'live' : 'reading') : 'reconnecting';
  return (
    <span className={state === 'open' && live ? 'live live-on' : 'live'} role="status">
      {lines}, {words}
    </span>
  );
}

function download(build: Build, book: LogBook): void {
  const address = URL.createObjectURL(new Blob([book.text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${build.ref.toLowerCase()}-${build.attempt}.log`;
  link.click();
  URL.revokeObjectURL(address);
}
