import { Fragment, memo, useRef, useState } from 'react';
import { Button } from '../../ui/button.js';
import { CommentBox, type CommentHands } from './comment-box.js';
import { type DiffFile, type DiffLine, type Hunk, lineCount } from './diff.js';
import { type DraftComment, keyOf, type Spot, spotOf } from './remarks.js';

const AT_ONCE = 800;
const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−', note: '' };

interface LinesProps {
  file: DiffFile;
  remarks: DraftComment[];
  hands: CommentHands;
  /** Undefined where nothing can be said to the build. */
  onComment: ((spot: Spot) => void) | undefined;
}

/** Every line with its numbers before and after; a click on a number opens a remark. */
export function DiffLines({ file, remarks, hands, onComment }: LinesProps) {
  const [most, setMost] = useState(AT_ONCE);
  const table = useRef<HTMLTableElement>(null);
  const total = lineCount(file);
  const byKey = new Map(remarks.map((remark) => [keyOf(remark), remark]));
  const back = (remark: DraftComment) =>
    table.current
      ?.querySelector<HTMLElement>(`[data-side="${remark.side}"][data-line="${remark.line}"]`)
      ?.focus();
  return (
    <>
      <table className="diff-table" ref={table} aria-label={`Changes in ${file.path}`}>
        <colgroup>
          <col className="diff-column" />
          <col className="diff-column" />
          <col />
        </colgroup>
        <tbody>
          {cut(file.hunks, most).map((hunk, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a diff never change
            <Fragment key={number}>
              <tr className="diff-place">
                <td colSpan={3}>{hunk.place ? `… ${hunk.place}` : '…'}</td>
              </tr>
              {hunk.lines.map((line, at) => {
                const remark = byKey.get(keyOf(spotOf(file.path, line)));
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff never change
                  <Fragment key={at}>
                    <DiffRow path={file.path} line={line} onComment={onComment} />
                    {remark && line.kind !== 'note' && (
                      <tr>
                        <td colSpan={3} className="diff-remark">
                          <CommentBox comment={remark} hands={hands} onDone={() => back(remark)} />
                        </td>
                      </tr>
                    )}
                  </Fragment>
                );
              })}
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
  onComment: LinesProps['onComment'];
}

const DiffRow = memo(function DiffRow({ path, line, onComment }: RowProps) {
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
    >
      <td className="diff-number">
        {removed ? <LineNumber line={line.old} onClick={comment} removed /> : line.old}
      </td>
      <td className="diff-number">{!removed && <LineNumber line={line.new} onClick={comment} />}</td>
      <td className="diff-code">
        <span className="diff-sign" aria-hidden="true">
          {SIGNS[line.kind]}
        </span>
        {line.kind !== 'same' && <span className="off-screen">{removed ? 'removed: ' : 'added: '}</span>}
        {line.text}
      </td>
    </tr>
  );
});

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
