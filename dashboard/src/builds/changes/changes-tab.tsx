import { useCallback, useMemo, useRef, useState } from 'react';
import type { Build, DiffStart } from '../../api/builds.js';
import { navigate, usePlace, withParameters } from '../../shell/router.js';
import { Empty, Loaded } from '../../ui/feedback.js';
import { isOpen } from '../build-words.js';
import type { Comments } from './comments.js';
import { type DiffFile, lineCount } from './diff.js';
import { DiffBar, useDiffView } from './diff-view.js';
import { FileCard, LazyFileCard } from './file-card.js';
import { FileList } from './file-list.js';
import { digestOf } from './line-parts.js';
import type { DraftComment, Spot } from './remarks.js';
import { type Diff, useDiff } from './use-diff.js';
import { stepUnviewed, useWalk } from './use-walk.js';
import { useViewed } from './viewed.js';

/** Larger files are opened by whoever wants to see them. */
const LARGE_FILE = 400;
/** So many lines are drawn unasked in all. */
const DRAWN_UNASKED = 2500;

interface ChangesProps {
  build: Build;
  comments: Comments;
  /** Whether a remark can be sent at all. */
  reviewable: boolean;
}

export function ChangesTab({ build, comments, reviewable }: ChangesProps) {
  const { query } = usePlace();
  const from: DiffStart = build.continues && query.get('from') === 'previous' ? 'previous' : 'base';
  const diff = useDiff(build, from);
  if (!build.head_sha)
    return (
      <Empty title={isOpen(build) ? 'No commits yet' : 'It brought no commits'}>
        {isOpen(build)
          ? 'What the coder changes appears here when it hands its commits in.'
          : 'There is nothing to review. The log says what the coder did.'}
      </Empty>
    );
  return (
    <>
      {build.continues && <StartSwitch from={from} />}
      <Loaded of={diff} rows={6}>
        {(data) => (
          <Files build={build} from={from} diff={data} comments={comments} reviewable={reviewable} />
        )}
      </Loaded>
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

function Files({ build, from, diff, comments, reviewable }: FilesProps) {
  const files = diff.kind === 'whole' ? diff.files : undefined;
  const paths = useMemo(
    () => (diff.kind === 'whole' ? diff.files.map(({ path }) => path) : diff.paths),
    [diff],
  );
  const unasked = useMemo(() => openUnasked(files ?? []), [files]);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [view, setView] = useDiffView();
  const viewed = useViewed(build);
  const digests = useMemo(() => new Map(files?.map((file) => [file.path, digestOf(file)])), [files]);
  // A file that is not read yet is known by the commit it stands in.
  const isViewed = (path: string) => viewed.has(path, digests.get(path) ?? build.head_sha ?? '');
  const onViewed = useLatest((path: string) => {
    if (!isViewed(path)) setChosen((all) => new Map(all).set(path, false));
    viewed.toggle(path, digests.get(path) ?? build.head_sha ?? '');
  });
  const isFileOpen = (path: string) => chosen.get(path) ?? (unasked.has(path) && !isViewed(path));
  const toggle = (path: string) => setChosen(new Map(chosen).set(path, !isFileOpen(path)));
  const latestToggle = useLatest(toggle);
  const open = useLatest((spot: Spot) => {
    setChosen((all) => (spot.side === 'file' ? all : new Map(all).set(spot.path, true)));
    comments.open(spot);
  });
  const change = useLatest(comments.change);
  const remove = useLatest(comments.remove);
  const hands = useMemo(() => ({ change, remove }), [change, remove]);
  const onComment = reviewable ? open : undefined;
  useWalk(onComment);

  if (paths.length === 0)
    return <Empty title="Nothing changed">The commits leave every file as it was.</Empty>;
  const card = (path: string) => ({
    path,
    open: isFileOpen(path),
    onToggle: latestToggle,
    remarks: remarksOn(comments.all, path),
    hands,
    onComment,
    view,
    viewed: isViewed(path),
    onViewed,
  });
  return (
    <div className="diff-view">
      <FileList paths={paths} files={files} comments={comments.all} isViewed={isViewed} />
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
        {diff.kind === 'named' && (
          <p className="muted">
            {(diff.bytes / 1_048_576).toFixed(1)} MiB of changes are too much to be read at once: each file is
            read when you open it.
          </p>
        )}
        {files
          ? files.map((file) => <FileCard key={file.path} file={file} {...card(file.path)} />)
          : paths.map((path) => <LazyFileCard key={path} build={build} from={from} {...card(path)} />)}
      </div>
    </div>
  );
}

function openUnasked(files: DiffFile[]): Set<string> {
  const open = new Set<string>();
  let drawn = 0;
  for (const file of files) {
    const lines = lineCount(file);
    if (file.binary || lines > LARGE_FILE || drawn + lines > DRAWN_UNASKED) continue;
    drawn += lines;
    open.add(file.path);
  }
  return open;
}

const remarksOn = (all: DraftComment[], path: string): DraftComment[] =>
  all.filter((each) => each.path === path);

/** One function for as long as the page lives, which does what the newest one does. */
function useLatest<A extends unknown[]>(perform: (...args: A) => void): (...args: A) => void {
  const latest = useRef(perform);
  latest.current = perform;
  return useCallback((...args: A) => latest.current(...args), []);
}
