import { memo } from 'react';
import type { DiffLine } from './diff.js';
import type { Coloured, Range } from './line-parts.js';
import { LineText } from './line-text.js';
import { type Spot, spotOf } from './remarks.js';

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−', note: '' };

interface RowProps {
  path: string;
  line: DiffLine;
  words: Range[] | undefined;
  colours: readonly Coloured[] | undefined;
  onComment: (spot: Spot) => void;
}

export const DiffRow = memo(function DiffRow({ path, line, words, colours, onComment }: RowProps) {
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
      <Code line={line} words={words} colours={colours} />
    </tr>
  );
});

interface SplitProps {
  path: string;
  before: DiffLine | undefined;
  after: DiffLine | undefined;
  beforeWords: Range[] | undefined;
  afterWords: Range[] | undefined;
  beforeColours: readonly Coloured[] | undefined;
  afterColours: readonly Coloured[] | undefined;
  onComment: (spot: Spot) => void;
}

export const SplitRow = memo(function SplitRow({
  path,
  before,
  after,
  beforeWords,
  afterWords,
  beforeColours,
  afterColours,
  onComment,
}: SplitProps) {
  // The new version, or the old one where there is no new one.
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
      {before ? (
        <Code line={before} words={beforeWords} colours={beforeColours} split />
      ) : (
        <td className="diff-code diff-void" />
      )}
      <td className={`diff-number ${after?.kind === 'added' ? 'diff-added' : ''}`}>
        {after && <LineNumber line={after.new} onClick={spot(after)} />}
      </td>
      {after ? (
        <Code line={after} words={afterWords} colours={afterColours} split />
      ) : (
        <td className="diff-code diff-void" />
      )}
    </tr>
  );
});

interface CodeProps {
  line: DiffLine;
  words: Range[] | undefined;
  colours: readonly Coloured[] | undefined;
  split?: boolean;
}

function Code({ line, words, colours, split }: CodeProps) {
  return (
    <td className={split ? `diff-code diff-${line.kind}` : 'diff-code'}>
      <span className="diff-sign" aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      {line.kind !== 'same' && (
        <span className="off-screen">{line.kind === 'removed' ? 'removed: ' : 'added: '}</span>
      )}
      <LineText text={line.text} words={words} colours={colours} />
    </td>
  );
}

interface NumberProps {
  line: number | null;
  onClick(): void;
  removed?: boolean;
}

/** Not in the Tab order, which would have thousands of stops; `c` comments on the focused line instead. */
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
