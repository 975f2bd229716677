import { useCallback, useMemo, useRef, useState } from 'react';
import type { Build } from '../../api/builds.js';
import { Empty, Loaded } from '../../ui/feedback.js';
import { isOpen } from '../build-words.js';
import type { Comments } from './comments.js';
import { type DiffFile, lineCount } from './diff.js';
import { FileCard, LazyFileCard } from './file-card.js';
import { FileList } from './file-list.js';
import type { DraftComment, Spot } from './remarks.js';
import { type Diff, useDiff } from './use-diff.js';
import { useWalk } from './use-walk.js';

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
  const diff = useDiff(build);
  if (!build.head_sha)
    return (
      <Empty title={isOpen(build) ? 'No commits yet' : 'It brought no commits'}>
        {isOpen(build)
          ? 'What the coder changes appears here when it hands its commits in.'
          : 'There is nothing to review. The log says what the coder did.'}
      </Empty>
    );
  return (
    <Loaded of={diff} rows={6}>
      {(data) => <Files build={build} diff={data} comments={comments} reviewable={reviewable} />}
    </Loaded>
  );
}

function Files({ build, diff, comments, reviewable }: ChangesProps & { diff: Diff }) {
  const files = diff.kind === 'whole' ? diff.files : undefined;
  const paths = useMemo(
    () => (diff.kind === 'whole' ? diff.files.map(({ path }) => path) : diff.paths),
    [diff],
  );
  const unasked = useMemo(() => openUnasked(files ?? []), [files]);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isFileOpen = (path: string) => chosen.get(path) ?? unasked.has(path);
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
  });
  return (
    <div className="diff-view">
      <FileList paths={paths} files={files} comments={comments.all} />
      <div className="changes-files">
        {diff.kind === 'named' && (
          <p className="muted">
            {(diff.bytes / 1_048_576).toFixed(1)} MiB of changes are too much to be read at once: each file is
            read when you open it.
          </p>
        )}
        {files
          ? files.map((file) => <FileCard key={file.path} file={file} {...card(file.path)} />)
          : paths.map((path) => <LazyFileCard key={path} build={build} {...card(path)} />)}
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
