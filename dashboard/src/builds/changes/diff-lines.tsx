import { Fragment, useCallback, useMemo, useRef } from 'react';
import { ErrorNote } from '../../ui/feedback.js';
import { useSeen } from '../../ui/seen.js';
import { type Block, blocksOf } from './blocks.js';
import { useColours } from './colours/use-colours.js';
import { CommentBox, type CommentHands } from './comment-box.js';
import { fillGap, gapsOf, runsOf } from './context.js';
import type { DiffFile, DiffLine, Hunk } from './diff.js';
import { DiffRow, SplitRow } from './diff-rows.js';
import { GapRow, PlaceRow } from './gap-row.js';
import { changedWords, type Range, type Side } from './line-parts.js';
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
import type { ContextHands } from './use-context.js';

const NOTHING: DiffLine[][] = [];

interface LinesProps {
  file: DiffFile;
  split: boolean;
  notes: FileNotes;
  hands: CommentHands;
  onComment(spot: Spot): void;
  /** Whether removed lines belong to the base, the only old version that accepts comments. */
  ofBase: boolean;
  around: ContextHands;
}

/** Shows each line with its old and new number; clicking a number opens a comment. */
export function DiffLines({ file, split, notes, hands, onComment, ofBase, around }: LinesProps) {
  const { context } = around;
  const body = useRef<HTMLDivElement>(null);
  const [place, near] = useSeen<HTMLDivElement>(NEARNESS);
  const watch = useCallback(
    (element: HTMLDivElement | null) => {
      body.current = element;
      return place(element);
    },
    [place],
  );
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
  const blocks = useMemo(() => blocksOf(file, split), [file, split]);
  const gaps = useMemo(() => gapsOf(file, context.total), [file, context.total]);
  const runs = useMemo(() => runsOf(file, context), [file, context]);
  const colours = useColours(file.path, near ? runs : NOTHING);
  const columns = split ? 4 : 3;
  const back = ({ side, line }: Writing) =>
    body.current?.querySelector<HTMLElement>(`[data-side="${side}"][data-line="${line}"]`)?.focus();
  const remarksOn = (line: DiffLine | undefined) => {
    if (!line || line.kind === 'note') return null;
    if (threads.length === 0 && notes.writing.length === 0) return null;
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
  const rowOf = ({ old: before, new: after }: Side, at: number, words?: Words) => {
    const line = (after ?? before)!;
    const key = line.kind === 'note' ? `note ${at}` : `${before?.old ?? ''} ${after?.new ?? ''}`;
    return split ? (
      <Fragment key={key}>
        <SplitRow
          path={file.path}
          before={before}
          after={after}
          beforeWords={before && words?.get(before)}
          afterWords={after && words?.get(after)}
          beforeColours={before && colours.get(before)}
          afterColours={after && colours.get(after)}
          onComment={comment}
        />
        {before !== after && remarksOn(before)}
        {remarksOn(after)}
      </Fragment>
    ) : (
      <Fragment key={key}>
        <DiffRow
          path={file.path}
          line={line}
          words={words?.get(line)}
          colours={colours.get(line)}
          onComment={comment}
        />
        {remarksOn(line)}
      </Fragment>
    );
  };
  const between = (at: number) => {
    const gap = gaps[at];
    const place = file.hunks[at]?.place;
    if (!gap) return place === undefined || at === 0 ? null : <PlaceRow place={place} columns={columns} />;
    return fillGap(gap, context).map((part) =>
      'gap' in part ? (
        <GapRow key={part.gap.first} gap={part.gap} place={place} columns={columns} around={around} />
      ) : (
        part.lines.map((line, row) => rowOf({ old: line, new: line }, row))
      ),
    );
  };
  const isWrittenIn = ({ parts }: Block) =>
    notes.writing.length > 0 &&
    parts.some(({ rows }) =>
      rows.some(({ old: before, new: after }) =>
        [before, after].some(
          (line) => line && notes.writing.some((each) => keysOfLine(file.path, line).includes(keyOf(each))),
        ),
      ),
    );
  return (
    <div className="diff-lines" ref={watch}>
      {blocks.map((block, number) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a diff never change
        <Nearby key={number} rows={block.count} now={isWrittenIn(block)}>
          {() => (
            <table
              className={split ? 'diff-table diff-split' : 'diff-table'}
              aria-label={`Changes in ${file.path}${number > 0 ? `, part ${number + 1}` : ''}`}
            >
              <colgroup>
                <col className="diff-column" />
                {split ? <col /> : <col className="diff-column" />}
                {split && <col className="diff-column" />}
                <col />
              </colgroup>
              <tbody>
                {block.parts.map(({ hunk, begins, rows }) => {
                  const words = wordsOf(file.hunks[hunk]!);
                  return (
                    <Fragment key={hunk}>
                      {begins && between(hunk)}
                      {rows.map((row, at) => rowOf(row, at, words))}
                    </Fragment>
                  );
                })}
                {number === blocks.length - 1 && between(file.hunks.length)}
              </tbody>
            </table>
          )}
        </Nearby>
      ))}
      {around.fault && <ErrorNote fault={around.fault} />}
    </div>
  );
}

type Words = ReadonlyMap<DiffLine, Range[]>;
const knownWords = new WeakMap<Hunk, Words>();

/** Computed when a hunk first renders, because most lines of large diffs are never viewed. */
function wordsOf(hunk: Hunk): Words {
  const words = knownWords.get(hunk) ?? changedWords(hunk);
  knownWords.set(hunk, words);
  return words;
}

const ROW_HEIGHT = 20;
/** Content is prepared within this distance of the viewport. */
export const NEARNESS = '1200px';

/** Renders its content near the viewport and reserves the height until then. */
function Nearby({ rows, now, children }: { rows: number; now: boolean; children(): React.ReactNode }) {
  const [place, near] = useSeen<HTMLDivElement>(NEARNESS);
  const height = `${rows * ROW_HEIGHT}px`;
  const drawn = near || now;
  return (
    <div
      ref={place}
      className="diff-block"
      style={drawn ? { containIntrinsicBlockSize: `auto ${height}` } : { height }}
    >
      {drawn && children()}
    </div>
  );
}
