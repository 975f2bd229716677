import { useCallback, useMemo, useRef, useState } from 'react';
import type { Build, DiffStart } from '../../api/builds.js';
import { navigate, usePlace, withParameters } from '../../shell/router.js';
import { Empty, Loaded } from '../../ui/feedback.js';
import { isOpen } from '../build-words.js';
import { CommentBox, type CommentHands } from './comment-box.js';
import type { Comments } from './comments.js';
import { type DiffFile, lineCount } from './diff.js';
import { DiffBar, useDiffView } from './diff-view.js';
import { FileCard, LazyFileCard } from './file-card.js';
import { FileList } from './file-list.js';
import { buildTree, filesIn } from './file-tree.js';
import { digestOf } from './line-parts.js';
import {
  addressOfSpot,
  countOf,
  type FileNotes,
  keyOf,
  NO_NOTES,
  notesByFile,
  type Spot,
  spotOfThread,
  WHOLE,
} from './remarks.js';
import { ThreadView } from './thread.js';
import { type Diff, useDiff } from './use-diff.js';
import { stepUnviewed, useWalk } from './use-walk.js';
import { useViewed } from './viewed.js';

/** Files with more lines than this start collapsed; smaller ones render when scrolled near. */
const LARGE_FILE = 1000;

interface ChangesProps {
  build: Build;
  comments: Comments;
}

export function ChangesTab({ build, comments }: ChangesProps) {
  const { query } = usePlace();
  const from: DiffStart = build.continues && query.get('from') === 'previous' ? 'previous' : 'base';
  const diff = useDiff(build, from);
  if (!build.head_sha) return <NoChanges build={build} comments={comments} />;
  return (
    <>
      {build.continues && <StartSwitch from={from} />}
      <Loaded of={diff} rows={6}>
        {(data) => <Files build={build} from={from} diff={data} comments={comments} />}
      </Loaded>
    </>
  );
}

/** A build without commits can still have comments. */
function NoChanges({ build, comments }: ChangesProps) {
  const notes = useMemo(() => notesByFile([], comments.threads, comments.writing), [comments]);
  return (
    <>
      <General notes={notes.get(null) ?? NO_NOTES} hands={comments} onComment={comments.open} />
      <Empty title={isOpen(build) ? 'No commits yet' : 'No commits'}>
        {isOpen(build)
          ? 'The changes appear here when the coder submits its commits.'
          : 'There is nothing to review. The log shows what the coder did.'}
      </Empty>
    </>
  );
}

const STARTS: readonly [DiffStart, string][] = [
  ['base', 'The whole change'],
  ['previous', 'Since the last attempt'],
];

function StartSwitch({ from }: { from: DiffStart }) {
  return (
    <fieldset className="segments diff-starts">
      <legend className="off-screen">Changes since</legend>
      {STARTS.map(([start, label]) => (
        <button
          key={start}
          type="button"
          className="segment"
          aria-pressed={start === from}
          onClick={() =>
            navigate(withParameters({ from: start === 'base' ? null : start }), { replace: true })
          }
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

interface FilesProps extends ChangesProps {
  from: DiffStart;
  diff: Diff;
}

function Files({ build, from, diff, comments }: FilesProps) {
  const paths = useMemo(
    () => filesIn(buildTree(diff.kind === 'whole' ? diff.files.map(({ path }) => path) : diff.paths)),
    [diff],
  );
  const files = useMemo(
    () => (diff.kind === 'whole' ? inOrder(diff.files, paths) : undefined),
    [diff, paths],
  );
  const unasked = useMemo(() => openUnasked(files ?? []), [files]);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [view, setView] = useDiffView();
  const viewed = useViewed(build);
  const digests = useMemo(() => new Map(files?.map((file) => [file.path, digestOf(file)])), [files]);
  // A file that is not loaded yet is identified by its commit.
  const isViewed = (path: string) => viewed.has(path, digests.get(path) ?? build.head_sha ?? '');
  const onViewed = useLatest((path: string) => {
    if (!isViewed(path)) setChosen((all) => new Map(all).set(path, false));
    viewed.toggle(path, digests.get(path) ?? build.head_sha ?? '');
  });
  const isFileOpen = (path: string) => chosen.get(path) ?? (unasked.has(path) && !isViewed(path));
  const toggle = (path: string) => setChosen(new Map(chosen).set(path, !isFileOpen(path)));
  const latestToggle = useLatest(toggle);
  const open = useLatest((spot: Spot) => {
    const { path, side } = spot;
    setChosen((all) => (side === 'file' || path === null ? all : new Map(all).set(path, true)));
    comments.open(spot);
  });
  const change = useLatest(comments.change);
  const drop = useLatest(comments.drop);
  const keep = useLatest(comments.keep);
  const { buildId, threads, writing } = comments;
  const hands = useMemo(() => ({ buildId, change, drop, keep }), [buildId, change, drop, keep]);
  const notes = useMemo(() => notesByFile(paths, threads, writing), [paths, threads, writing]);
  useWalk(open);

  if (paths.length === 0) return <Empty title="Nothing changed">The commits change no files.</Empty>;
  const card = (path: string) => ({
    path,
    open: isFileOpen(path),
    onToggle: latestToggle,
    notes: notes.get(path) ?? NO_NOTES,
    hands,
    onComment: open,
    // Lines removed since the previous attempt are not lines of the base.
    ofBase: from === 'base',
    view,
    viewed: isViewed(path),
    onViewed,
  });
  return (
    <div className="diff-view">
      <FileList
        paths={paths}
        files={files}
        countOf={(path) => countOf(notes.get(path) ?? NO_NOTES)}
        isViewed={isViewed}
      />
      <div className="changes-files">
        <DiffBar
          view={view}
          onView={setView}
          viewed={paths.filter(isViewed).length}
          total={paths.length}
          allOpen={paths.every(isFileOpen)}
          onOpenAll={(wanted) => setChosen(new Map(paths.map((path) => [path, wanted])))}
          onNext={stepUnviewed}
        />
        <General notes={notes.get(null) ?? NO_NOTES} hands={hands} onComment={open} />
        {diff.kind === 'named' && (
          <p className="muted">
            {(diff.bytes / 1_048_576).toFixed(1)} MiB of changes are too much to load at once. Open a file to
            load its changes.
          </p>
        )}
        {files
          ? files.map((file) => <FileCard key={file.path} file={file} {...card(file.path)} />)
          : paths.map((path) => <LazyFileCard key={path} build={build} from={from} {...card(path)} />)}
      </div>
    </div>
  );
}

/** The same order as in the file tree. */
function inOrder(files: readonly DiffFile[], paths: readonly string[]): DiffFile[] {
  const places = new Map(paths.map((path, at) => [path, at]));
  return files.toSorted((a, b) => places.get(a.path)! - places.get(b.path)!);
}

const openUnasked = (files: DiffFile[]): Set<string> =>
  new Set(files.filter((file) => !file.binary && lineCount(file) <= LARGE_FILE).map(({ path }) => path));

interface GeneralProps {
  notes: FileNotes;
  hands: CommentHands;
  onComment(spot: Spot): void;
}

/** Comments on the whole change, or on files that it no longer touches. */
function General({ notes, hands, onComment }: GeneralProps) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <section className="diff-general" aria-label="Comments on the whole change">
      {notes.threads.map((thread) => (
        <div key={thread.first.comment_id}>
          {thread.first.path !== null && !thread.first.outdated && (
            <span className="mono small">{addressOfSpot(spotOfThread(thread))}</span>
          )}
          <ThreadView thread={thread} buildId={hands.buildId} />
        </div>
      ))}
      {notes.writing.map((writing) => (
        <CommentBox
          key={keyOf(writing)}
          writing={writing}
          hands={hands}
          onDone={() => button.current?.focus()}
        />
      ))}
      <button ref={button} type="button" className="button button-small" onClick={() => onComment(WHOLE)}>
        Comment on the change
      </button>
    </section>
  );
}

/** A function with a stable identity that always calls the latest `perform`. */
function useLatest<A extends unknown[], R>(perform: (...args: A) => R): (...args: A) => R {
  const latest = useRef(perform);
  latest.current = perform;
  return useCallback((...args: A) => latest.current(...args), []);
}
