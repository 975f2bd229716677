import { Fragment, memo, useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/button.js';
import { CommentBox, type CommentHands } from './comment-box.js';
import { type DiffFile, type DiffLine, type Hunk, lineCount } from './diff.js';
import { changedWords, endsCrlf, partsOf, type Range, splitLines } from './line-parts.js';
import { type DraftComment, keyOf, type Spot, spotOf } from './remarks.js';

const AT_ONCE = 800;
const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−', note: '' };

interface LinesProps {
  file: DiffFile;
  /** What was and what is, side by side. */
  split: boolean;
  remarks: DraftComment[];
  hands: CommentHands;
  /** Undefined where nothing can be said to the build. */
  onComment: ((spot: Spot) => void) | undefined;
}

/** Every line with its numbers before and after; a click on a number opens a remark. */
export function DiffLines({ file, split, remarks, hands, onComment }: LinesProps) {
  const [most, setMost] = useState(AT_ONCE);
  const table = useRef<HTMLTableElement>(null);
  const total = lineCount(file);
  const byKey = new Map(remarks.map((remark) => [keyOf(remark), remark]));
  const words = useMemo(() => new Map(file.hunks.flatMap((hunk) => [...changedWords(hunk)])), [file]);
  const columns = split ? 4 : 3;
  const back = (remark: DraftComment) =>
    table.current
      ?.querySelector<HTMLElement>(`[data-side="${remark.side}"][data-line="${remark.line}"]`)
      ?.focus();
  const remarkOn = (line: DiffLine | undefined) => {
    const remark = line && line.kind !== 'note' && byKey.get(keyOf(spotOf(file.path, line)));
    return (
      remark && (
        <tr>
          <td colSpan={columns} className="diff-remark">
            <CommentBox comment={remark} hands={hands} onDone={() => back(remark)} />
          </td>
        </tr>
      )
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
              onComment={onComment}
            />
            {side.old !== side.new && remarkOn(side.old)}
            {remarkOn(side.new)}
          </Fragment>
        ))
      : lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never change
          <Fragment key={at}>
            <DiffRow path={file.path} line={line} words={words.get(line)} onComment={onComment} />
            {remarkOn(line)}
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
  const comment = onComment && (() => onComment(spotOf(path, line)));
  return (
    <tr
      className={`diff-row diff-${line.kind}`}
      tabIndex={-1}
      data-path={path}
      data-side={removed ? 'old' : 'new'}
      data-line={removed ? line.old : line.new}
      data-quote={line.text}
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
  const spot = (of: DiffLine) => onComment && (() => onComment(spotOf(path, of)));
  const removed = before?.kind === 'removed';
  return (
    <tr
      className="diff-row"
      tabIndex={-1}
      data-path={path}
      data-side={after ? 'new' : 'old'}
      data-line={after ? after.new : before?.old}
      data-quote={line.text}
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
  onClick: (() => void) | undefined;
  removed?: boolean;
}

/** Out of the order of Tab: thousands of stops help nobody, and `c` does the same on the line one is at. */
function LineNumber({ line, onClick, removed }: NumberProps) {
  if (!onClick) return line;
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
