import { memo, useMemo, useRef } from 'react';
import type { Build, DiffStart } from '../../api/builds.js';
import type { Resource } from '../../api/resource.js';
import { Button } from '../../ui/button.js';
import { Badge } from '../../ui/display.js';
import { ErrorNote, Skeleton } from '../../ui/feedback.js';
import { Checkbox } from '../../ui/field.js';
import { CommentBox, type CommentHands } from './comment-box.js';
import { type DiffFile, lineCount } from './diff.js';
import { DiffLines, LineText } from './diff-lines.js';
import type { DiffView } from './diff-view.js';
import { findHidden, ignoreBlanks } from './line-parts.js';
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
import { useFileDiff } from './use-diff.js';

interface CardProps {
  path: string;
  open: boolean;
  onToggle(path: string): void;
  notes: FileNotes;
  hands: CommentHands;
  onComment(spot: Spot): void;
  /** Whether what was removed is a line of the base. */
  ofBase: boolean;
  view: DiffView;
  viewed: boolean;
  onViewed(path: string): void;
}

export const FileCard = memo(
  function FileCard({ file, ...card }: CardProps & { file: DiffFile }) {
    return <Frame {...card} file={file} body={() => <FileBody file={file} {...card} />} />;
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

/** A file of a diff that is too large as a whole: it is read when it is opened. */
export function LazyFileCard({ build, from, ...card }: CardProps & { build: Build; from: DiffStart }) {
  const diff = useFileDiff(build, { from, path: card.path, wanted: card.open });
  return (
    <Frame
      {...card}
      file={diff.data ?? undefined}
      body={() => <LazyBody diff={diff}>{(file) => <FileBody file={file} {...card} />}</LazyBody>}
    />
  );
}

interface LazyProps {
  diff: Resource<DiffFile | null>;
  children(file: DiffFile): React.ReactNode;
}

function LazyBody({ diff, children }: LazyProps) {
  if (diff.fault)
    return diff.fault.status === 413 ? (
      <p className="file-quiet">The changes of this file alone are over 1 MiB: too large to be read here.</p>
    ) : (
      <ErrorNote fault={diff.fault} onRetry={diff.reload} />
    );
  if (diff.data === undefined) return <Skeleton rows={2} />;
  return diff.data ? children(diff.data) : <p className="file-quiet">It has another name now; see there.</p>;
}

interface FrameProps extends CardProps {
  file: DiffFile | undefined;
  body(): React.ReactNode;
}

const WORDS = { added: 'new', removed: 'removed', renamed: 'renamed', changed: '' } as const;

function Frame(frame: FrameProps) {
  const { path, file, open, onToggle, notes, hands, onComment, ofBase, viewed, onViewed, body } = frame;
  const hidden = useMemo(() => (file ? findHidden(file) : []), [file]);
  const head = useRef<HTMLButtonElement>(null);
  const apart = useMemo(
    () => threadsApart(notes.threads, open ? file : undefined, ofBase),
    [notes, file, open, ofBase],
  );
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
            <span className="muted small">On line {thread.first.line}, which is not shown:</span>
          )}
          <ThreadView thread={thread} buildId={hands.buildId} />
        </div>
      ))}
      {whole && (
        <div className="diff-remark">
          <CommentBox writing={whole} hands={hands} onDone={() => head.current?.focus()} />
        </div>
      )}
      {open && body()}
    </section>
  );
}

/** What stands at no line that is shown; of a file that is closed, what is about it as a whole. */
function threadsApart(threads: Thread[], file: DiffFile | undefined, ofBase: boolean): Thread[] {
  if (!file) return threads.filter(({ first }) => first.line === null || first.outdated);
  const shown = new Set(
    file.hunks.flatMap(({ lines }) => lines.flatMap((line) => keysOfLine(file.path, line))),
  );
  return threads.filter((thread) => !isOnLine(thread, ofBase) || !shown.has(keyOf(spotOfThread(thread))));
}

function FileBody({
  file,
  view,
  notes,
  hands,
  onComment,
  ofBase,
}: Omit<CardProps, 'path'> & { file: DiffFile }) {
  const shown = useMemo(() => (view.blanks ? file : ignoreBlanks(file)), [file, view.blanks]);
  if (file.binary) return <p className="file-quiet">A binary file: there are no lines to show.</p>;
  if (lineCount(shown) === 0 && lineCount(file) > 0)
    return <p className="file-quiet">Only blanks changed.</p>;
  return (
    <>
      {file.mode && <p className="file-quiet">Its mode changed: {file.mode}</p>}
      {lineCount(shown) > 0 ? (
        <DiffLines
          file={shown}
          split={view.split}
          notes={notes}
          hands={hands}
          onComment={onComment}
          ofBase={ofBase}
        />
      ) : (
        !file.mode && <p className="file-quiet">No line of it changed.</p>
      )}
    </>
  );
}
