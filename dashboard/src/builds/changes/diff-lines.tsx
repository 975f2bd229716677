import { Fragment, memo, useCallback, useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/button.js';
import { CommentBox, type CommentHands } from './comment-box.js';
import { type DiffFile, type DiffLine, type Hunk, lineCount } from './diff.js';
import { changedWords, endsCrlf, partsOf, type Range, splitLines } from './line-parts.js';
import {
  type FileNotes,
  isOnLine,
  keyOf,
  keysOfLine,
  type Spot,
  spotOf,
  spotOfThread,
  type Writing,
} from './remarks.js';
import { ThreadView } from './thread.js';

const AT_ONCE = 800;
const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−', note: '' };

interface LinesProps {
  file: DiffFile;
  /** What was and what is, side by side. */
  split: boolean;
  notes: FileNotes;
  hands: CommentHands;
  onComment(spot: Spot): void;
  /** Whether what was removed is a line of the base, which is what can be spoken of. */
  ofBase: boolean;
}

/** Every line with its numbers before and after; a click on a number opens a remark. */
export function DiffLines({ file, split, notes, hands, onComment, ofBase }: LinesProps) {
  const [most, setMost] = useState(AT_ONCE);
  const table = useRef<HTMLTableElement>(null);
  const total = lineCount(file);
  const threads = useMemo(
    () =>
      notes.threads
        .filter((thread) => isOnLine(thread, ofBase))
        .map((thread) => [keyOf(spotOfThread(thread)), thread] as const),
    [notes, ofBase],
  );
  const comment = useCallback(
    (spot: Spot) => {
      if (ofBase || spot.side !== 'old') onComment(spot);
    },
    [ofBase, onComment],
  );
  const words = useMemo(() => new Map(file.hunks.flatMap((hunk) => [...changedWords(hunk)])), [file]);
  const columns = split ? 4 : 3;
  const back = ({ side, line }: Writing) =>
    table.current?.querySelector<HTMLElement>(`[data-side="${side}"][data-line="${line}"]`)?.focus();
  const remarksOn = (line: DiffLine | undefined) => {
    if (!line || line.kind === 'note') return null;
    const keys = keysOfLine(file.path, line);
    const said = threads.filter(([key]) => keys.includes(key));
    const writing = notes.writing.find((each) => keyOf(each) === keyOf(spotOf(file.path, line)));
    if (said.length === 0 && !writing) return null;
    return (
      <tr>
        <td colSpan={columns} className="diff-remark">
          {said.map(([, thread]) => (
            <ThreadView key={thread.first.comment_id} thread={thread} buildId={hands.buildId} />
          ))}
          {writing && <CommentBox writing={writing} hands={hands} onDone={() => back(writing)} />}
        </td>
      </tr>
    );
  };
  const rowsOf = ({ lines }: Hunk) =>
    split
      ? splitLines(lines).map((side, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never change
          <Fragment key={at}>
            <SplitRow
              path={file.path}
              before={side.old}
              after={side.new}
              beforeWords={side.old && words.get(side.old)}
              afterWords={side.new && words.get(side.new)}
              onComment={comment}
            />
            {side.old !== side.new && remarksOn(side.old)}
            {remarksOn(side.new)}
          </Fragment>
        ))
      : lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never change
          <Fragment key={at}>
            <DiffRow path={file.path} line={line} words={words.get(line)} onComment={comment} />
            {remarksOn(line)}
          </Fragment>
        ));
  return (
    <>
      <table
        className={split ? 'diff-table diff-split' : 'diff-table'}
        ref={table}
        aria-label={`Changes in ${file.path}`}
      >
        <colgroup>
          <col className="diff-column" />
          {split ? <col /> : <col className="diff-column" />}
          {split && <col className="diff-column" />}
          <col />
        </colgroup>
        <tbody>
          {cut(file.hunks, most).map((hunk, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a diff never change
            <Fragment key={number}>
              <tr className="diff-place">
                <td colSpan={columns}>{hunk.place ? `… ${hunk.place}` : '…'}</td>
              </tr>
              {rowsOf(hunk)}
            </Fragment>
          ))}
        </tbody>
      </table>
      {total > most && (
        <div className="more">
          <span className="muted small">
            {most} of {total} lines
          </span>
          <Button small onClick={() => setMost(most + AT_ONCE * 2)}>
            Show more lines
          </Button>
        </div>
      )}
    </>
  );
}

function cut(hunks: Hunk[], most: number): Hunk[] {
  const shown: Hunk[] = [];
  let left = most;
  for (const hunk of hunks) {
    if (left <= 0) break;
    shown.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return shown;
}

interface RowProps {
  path: string;
  line: DiffLine;
  words: Range[] | undefined;
  onComment: LinesProps['onComment'];
}

const DiffRow = memo(function DiffRow({ path, line, words, onComment }: RowProps) {
  if (line.kind === 'note')
    return (
      <tr className="diff-note">
        <td colSpan={3}>{line.text}</td>
      </tr>
    );
  const removed = line.kind === 'removed';
  const comment = () => onComment(spotOf(path, line));
  return (
    <tr
      className={`diff-row diff-${line.kind}`}
      tabIndex={-1}
      data-path={path}
      data-side={removed ? 'old' : 'new'}
      data-line={removed ? line.old : line.new}
    >
      <td className="diff-number">
        {removed ? <LineNumber line={line.old} onClick={comment} removed /> : line.old}
      </td>
      <td className="diff-number">{!removed && <LineNumber line={line.new} onClick={comment} />}</td>
      <Code line={line} words={words} />
    </tr>
  );
});

interface SplitProps {
  path: string;
  before: DiffLine | undefined;
  after: DiffLine | undefined;
  beforeWords: Range[] | undefined;
  afterWords: Range[] | undefined;
  onComment: LinesProps['onComment'];
}

const SplitRow = memo(function SplitRow({
  path,
  before,
  after,
  beforeWords,
  afterWords,
  onComment,
}: SplitProps) {
  // One of the two is there: what stands now, where there is something.
  const line = (after ?? before)!;
  if (line.kind === 'note')
    return (
      <tr className="diff-note">
        <td colSpan={4}>{line.text}</td>
      </tr>
    );
  const spot = (of: DiffLine) => () => onComment(spotOf(path, of));
  const removed = before?.kind === 'removed';
  return (
    <tr
      className="diff-row"
      tabIndex={-1}
      data-path={path}
      data-side={after ? 'new' : 'old'}
      data-line={after ? after.new : before?.old}
    >
      <td className={`diff-number ${removed ? 'diff-removed' : ''}`}>
        {before && (removed ? <LineNumber line={before.old} onClick={spot(before)} removed /> : before.old)}
      </td>
      {before ? <Code line={before} words={beforeWords} split /> : <td className="diff-code diff-void" />}
      <td className={`diff-number ${after?.kind === 'added' ? 'diff-added' : ''}`}>
        {after && <LineNumber line={after.new} onClick={spot(after)} />}
      </td>
      {after ? <Code line={after} words={afterWords} split /> : <td className="diff-code diff-void" />}
    </tr>
  );
});

function Code({ line, words, split }: { line: DiffLine; words: Range[] | undefined; split?: boolean }) {
  return (
    <td className={split ? `diff-code diff-${line.kind}` : 'diff-code'}>
      <span className="diff-sign" aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      {line.kind !== 'same' && (
        <span className="off-screen">{line.kind === 'removed' ? 'removed: ' : 'added: '}</span>
      )}
      <LineText text={line.text} words={words} />
    </td>
  );
}

/** A text whose hidden characters are seen, and do nothing. */
export function LineText({ text, words }: { text: string; words?: Range[] }) {
  return (
    <>
      {partsOf(text, words).map((part, at) =>
        part.hidden ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change
          <span key={at} className="hidden-character" title={`The character ${part.text}, which is not seen`}>
            {part.text}
          </span>
        ) : part.changed ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change
          <span key={at} className="diff-word">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
      {endsCrlf(text) && (
        <span className="line-end" title="The line ends with CR and LF, as on Windows">
          CRLF
        </span>
      )}
    </>
  );
}

interface NumberProps {
  line: number | null;
  onClick(): void;
  removed?: boolean;
}

/** Out of the order of Tab: thousands of stops help nobody, and `c` does the same on the line one is at. */
function LineNumber({ line, onClick, removed }: NumberProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className="diff-number-button"
      aria-label={`Comment on ${removed ? 'removed ' : ''}line ${line}`}
      onClick={onClick}
    >
      {line}
    </button>
  );
}
