import { memo, useEffect, useMemo, useRef } from 'react';
import type { Build, DiffStart } from '../../api/builds.js';
import type { Resource } from '../../api/resource.js';
import { Button } from '../../ui/button.js';
import { Badge } from '../../ui/display.js';
import { ErrorNote, Skeleton } from '../../ui/feedback.js';
import { Checkbox } from '../../ui/field.js';
import { useSeen } from '../../ui/seen.js';
import { CommentBox, type CommentHands } from './comment-box.js';
import type { Context } from './context.js';
import { type DiffFile, lineCount } from './diff.js';
import { DiffLines, NEARNESS } from './diff-lines.js';
import type { DiffView } from './diff-view.js';
import { findHidden, ignoreBlanks } from './line-parts.js';
import { LineText } from './line-text.js';
import {
  countOf,
  type FileNotes,
  isOnLine,
  keyOf,
  keysOfLine,
  type Spot,
  spotOfThread,
  type Thread,
} from './remarks.js';
import { ThreadView } from './thread.js';
import { type ContextHands, useContextLines } from './use-context.js';
import { useFileDiff } from './use-diff.js';

interface CardProps {
  path: string;
  open: boolean;
  onToggle(path: string): void;
  notes: FileNotes;
  hands: CommentHands;
  onComment(spot: Spot): void;
  /** Whether removed lines belong to the base. */
  ofBase: boolean;
  view: DiffView;
  viewed: boolean;
  onViewed(path: string): void;
}

export const FileCard = memo(
  function FileCard({ file, ...card }: CardProps & { file: DiffFile }) {
    return <Frame {...card} file={file} body={(shown) => <FileBody {...shown} {...card} />} />;
  },
  (before, after) =>
    before.open === after.open &&
    before.view === after.view &&
    before.viewed === after.viewed &&
    before.file === after.file &&
    before.onComment === after.onComment &&
    before.ofBase === after.ofBase &&
    isSame(before.notes.threads, after.notes.threads) &&
    isSame(before.notes.writing, after.notes.writing),
);

const isSame = (before: readonly unknown[], after: readonly unknown[]): boolean =>
  before.length === after.length && before.every((each, at) => each === after[at]);

/** A file of a diff that is too large to load as a whole; it loads when it is opened. */
export function LazyFileCard({ build, from, ...card }: CardProps & { build: Build; from: DiffStart }) {
  const [place, near] = useSeen<HTMLDivElement>(NEARNESS);
  const diff = useFileDiff(build, { from, path: card.path, wanted: card.open && near });
  return (
    <Frame
      {...card}
      file={diff.data ?? undefined}
      body={(shown) => (
        <div ref={place}>
          <LazyBody diff={diff}>{() => <FileBody {...shown} {...card} />}</LazyBody>
        </div>
      )}
    />
  );
}

interface LazyProps {
  diff: Resource<DiffFile | null>;
  children(): React.ReactNode;
}

function LazyBody({ diff, children }: LazyProps) {
  if (diff.fault)
    return diff.fault.status === 413 ? (
      <p className="file-quiet">The changes of this file are over 1 MiB and cannot be shown.</p>
    ) : (
      <ErrorNote fault={diff.fault} onRetry={diff.reload} />
    );
  if (diff.data === undefined) return <Skeleton rows={2} />;
  return diff.data ? children() : <p className="file-quiet">The file was renamed.</p>;
}

interface Shown {
  file: DiffFile | undefined;
  /** The file without whitespace-only changes, if the user hides them. */
  calm: DiffFile | undefined;
  around: ContextHands;
}

interface FrameProps extends CardProps {
  file: DiffFile | undefined;
  body(shown: Shown): React.ReactNode;
}

const WORDS = { added: 'new', removed: 'removed', renamed: 'renamed', changed: '' } as const;

function Frame(frame: FrameProps) {
  const { path, file, open, onToggle, notes, hands, onComment, ofBase, view, viewed, onViewed, body } = frame;
  const calm = useMemo(() => (file && !view.blanks ? ignoreBlanks(file) : file), [file, view.blanks]);
  const around = useContextLines(hands.buildId, calm);
  const hidden = useMemo(() => (file ? findHidden(file) : []), [file]);
  const head = useRef<HTMLButtonElement>(null);
  // Skip computing the visible lines for files without comments.
  const quiet = notes.threads.length === 0 && notes.writing.length === 0;
  const shown = useMemo(
    () => (open && calm && !quiet ? linesShown(calm, around.context) : undefined),
    [calm, open, quiet, around.context],
  );
  const apart = useMemo(() => threadsApart(notes.threads, shown, ofBase), [notes, shown, ofBase]);
  useWritingShown(notes, shown, around);
  const whole = notes.writing.find(({ side }) => side === 'file');
  const count = countOf(notes);
  return (
    <section className="diff-file" aria-label={path}>
      <header className="file-head">
        <button
          ref={head}
          type="button"
          className="file-toggle"
          data-file={path}
          data-viewed={viewed || undefined}
          aria-expanded={open}
          onClick={() => onToggle(path)}
        >
          <span className="file-mark" aria-hidden="true">
            ›
          </span>
          <span className="mono file-path">
            {file?.from && <span className="muted">{file.from} → </span>}
            <LineText text={path} />
          </span>
        </button>
        {hidden.length > 0 && (
          <Badge tone="warn">
            {hidden.length === 1 ? `hidden character ${hidden[0]}` : `${hidden.length} hidden characters`}
          </Badge>
        )}
        {file && WORDS[file.kind] && <Badge>{WORDS[file.kind]}</Badge>}
        {file?.binary && <Badge>binary</Badge>}
        {file?.submodule && <Badge>submodule</Badge>}
        {count > 0 && <Badge tone="accent">{count === 1 ? '1 comment' : `${count} comments`}</Badge>}
        {file && !file.binary && (
          <span className="diff-size">
            <span className="good">+{file.insertions}</span> <span className="bad">−{file.deletions}</span>
          </span>
        )}
        <Checkbox
          label={
            <>
              Viewed<span className="off-screen"> {path}</span>
            </>
          }
          checked={viewed}
          onChange={() => onViewed(path)}
        />
        <Button
          small
          tone="quiet"
          aria-label={`Comment on ${path}`}
          onClick={() => onComment({ path, side: 'file', line: null })}
        >
          Comment
        </Button>
      </header>
      {apart.map((thread) => (
        <div key={thread.first.comment_id} className="diff-remark">
          {thread.first.line !== null && !thread.first.outdated && (
            <span className="muted small">On line {thread.first.line}, not shown:</span>
          )}
          <ThreadView thread={thread} buildId={hands.buildId} />
        </div>
      ))}
      {whole && (
        <div className="diff-remark">
          <CommentBox writing={whole} hands={hands} onDone={() => head.current?.focus()} />
        </div>
      )}
      {open && body({ file, calm, around })}
    </section>
  );
}

/** The visible lines that accept comments. */
const linesShown = (file: DiffFile, { lines }: Context): ReadonlySet<string> =>
  new Set(
    [...file.hunks.flatMap((hunk) => hunk.lines), ...lines.values()].flatMap((line) =>
      keysOfLine(file.path, line),
    ),
  );

/** Threads that no visible line shows; for a collapsed file, those on the whole file or on outdated lines. */
function threadsApart(threads: Thread[], shown: ReadonlySet<string> | undefined, ofBase: boolean): Thread[] {
  if (!shown) return threads.filter(({ first }) => first.line === null || first.outdated);
  return threads.filter((thread) => !isOnLine(thread, ofBase) || !shown.has(keyOf(spotOfThread(thread))));
}

/** Context lines to load above and below a comment being written. */
const AROUND_WRITING = 3;

function useWritingShown(
  { writing }: FileNotes,
  shown: ReadonlySet<string> | undefined,
  { busy, fault, show }: ContextHands,
): void {
  const missing = writing.find(({ side, line, ...spot }) =>
    shown && side === 'new' && line !== null ? !shown.has(keyOf({ ...spot, side, line })) : false,
  )?.line;
  useEffect(() => {
    if (missing && !busy && !fault) show(Math.max(1, missing - AROUND_WRITING), missing + AROUND_WRITING);
  }, [missing, busy, fault, show]);
}

function FileBody({
  file,
  calm,
  around,
  view,
  notes,
  hands,
  onComment,
  ofBase,
}: Omit<CardProps, 'path'> & Shown) {
  if (!file || !calm) return null;
  if (file.binary) return <p className="file-quiet">Binary file not shown.</p>;
  if (lineCount(calm) === 0 && lineCount(file) > 0)
    return <p className="file-quiet">Only whitespace changed.</p>;
  return (
    <>
      {file.mode && <p className="file-quiet">Its mode changed: {file.mode}</p>}
      {lineCount(calm) > 0 ? (
        <DiffLines
          file={calm}
          split={view.split}
          notes={notes}
          hands={hands}
          onComment={onComment}
          ofBase={ofBase}
          around={around}
        />
      ) : (
        !file.mode && <p className="file-quiet">No lines changed.</p>
      )}
    </>
  );
}
