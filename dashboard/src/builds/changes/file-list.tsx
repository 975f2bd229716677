import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../ui/button.js';
import { CheckIcon } from '../../ui/icons.js';
import { walkTree } from '../../ui/tree-keys.js';
import type { DiffFile } from './diff.js';
import { buildTree, foldersIn, rowsOf, type TreeNode, type TreeRow } from './file-tree.js';
import { LineText } from './line-text.js';

interface ListProps {
  paths: string[];
  files: DiffFile[] | undefined;
  /** Number of unresolved comments on a file. */
  countOf(path: string): number;
  isViewed(path: string): boolean;
}

/** The filter field appears from this number of files. */
const FILTERED_FROM = 8;
const WIDE = '(min-width: 1100px)';
const NONE: ReadonlySet<string> = new Set();

export function FileList({ paths, files, countOf, isViewed }: ListProps) {
  const [wanted, setWanted] = useState('');
  const [folded, setFolded] = useState(NONE);
  const [open, setOpen] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const settle = () => setOpen(wide.matches);
    wide.addEventListener('change', settle);
    return () => wide.removeEventListener('change', settle);
  }, []);
  const words = wanted.trim().toLowerCase();
  const tree = useMemo(
    () => buildTree(paths.filter((path) => path.toLowerCase().includes(words))),
    [paths, words],
  );
  const folders = useMemo(() => foldersIn(tree), [tree]);
  const byPath = useMemo(() => new Map(files?.map((file) => [file.path, file])), [files]);
  const isFolded = (path: string) => words === '' && folded.has(path);
  const toggle = (path: string) => {
    const changed = new Set(folded);
    if (!changed.delete(path)) changed.add(path);
    setFolded(changed);
  };
  const factsOf = (within: readonly string[]): Facts => {
    const facts: Facts = { files: within.length, viewed: 0, remarks: 0, insertions: 0, deletions: 0 };
    for (const path of within) {
      const file = byPath.get(path);
      facts.viewed += isViewed(path) ? 1 : 0;
      facts.remarks += countOf(path);
      facts.insertions += file?.insertions ?? 0;
      facts.deletions += file?.deletions ?? 0;
    }
    return facts;
  };
  const allFolded = folders.every(isFolded);
  return (
    <details className="file-list" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{paths.length === 1 ? '1 file changed' : `${paths.length} files changed`}</summary>
      {paths.length >= FILTERED_FROM && (
        <input
          type="search"
          className="input file-filter"
          aria-label="Filter files"
          placeholder="Filter files"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      )}
      {folders.length > 1 && words === '' && (
        <Button small tone="quiet" onClick={() => setFolded(allFolded ? NONE : new Set(folders))}>
          {allFolded ? 'Unfold all folders' : 'Fold all folders'}
        </Button>
      )}
      {tree.length > 0 ? (
        <Tree
          rows={rowsOf(tree, isFolded)}
          factsOf={(node) => factsOf(node.kind === 'folder' ? node.files : [node.path])}
          isFolded={isFolded}
          onToggle={toggle}
        />
      ) : (
        <p className="muted small">No files match.</p>
      )}
    </details>
  );
}

interface Facts {
  files: number;
  viewed: number;
  remarks: number;
  insertions: number;
  deletions: number;
}

interface TreeProps {
  rows: TreeRow[];
  factsOf(node: TreeNode): Facts;
  isFolded(path: string): boolean;
  onToggle(path: string): void;
}

function Tree({ rows, factsOf, isFolded, onToggle }: TreeProps) {
  const tree = useRef<HTMLDivElement>(null);
  const [wanted, setCurrent] = useState<string>();
  // The single Tab stop; fall back to the first row if it was collapsed or filtered out.
  const current = rows.some(({ node }) => node.path === wanted) ? wanted : rows[0]?.node.path;
  const choose = (path: string) => {
    setCurrent(path);
    if (path.endsWith('/')) onToggle(path);
    else showFile(path);
  };
  const focus = (item: HTMLElement | undefined) => {
    if (!item) return;
    setCurrent(item.dataset['place']);
    item.focus();
  };
  return (
    <div
      ref={tree}
      className="file-tree"
      role="tree"
      aria-label="Files changed"
      tabIndex={-1}
      onKeyDown={(event) => walkTree(event, tree.current, { focus, toggle: onToggle, choose })}
    >
      {rows.map((row) => (
        <Row
          key={row.node.path}
          row={row}
          facts={factsOf(row.node)}
          folded={isFolded(row.node.path)}
          current={row.node.path === current}
          onChoose={choose}
        />
      ))}
    </div>
  );
}

interface RowProps {
  row: TreeRow;
  facts: Facts;
  folded: boolean;
  current: boolean;
  onChoose(path: string): void;
}

function Row({ row: { node, level, place, siblings }, facts, folded, current, onChoose }: RowProps) {
  const isFolder = node.kind === 'folder';
  const { files, viewed, remarks, insertions, deletions } = facts;
  const done = viewed === files;
  const said = [
    node.name,
    isFolder ? `folder, ${viewed} of ${files} viewed` : done && 'viewed',
    remarks > 0 && (remarks === 1 ? '1 comment' : `${remarks} comments`),
    insertions + deletions > 0 && `${insertions} added, ${deletions} removed`,
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys
    <div
      role="treeitem"
      className={`${isFolder ? 'file-folder' : 'file-link'}${done ? ' file-viewed' : ''}`}
      style={{ paddingLeft: `${(level - 1) * 12 + 4}px` }}
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-expanded={isFolder ? !folded : undefined}
      aria-selected={current}
      aria-label={said.filter(Boolean).join(', ')}
      data-place={node.path}
      data-name={node.name}
      title={node.path}
      tabIndex={current ? 0 : -1}
      onClick={() => onChoose(node.path)}
    >
      <span className="file-sign" aria-hidden="true" data-sign={isFolder ? (folded ? '▸' : '▾') : ''} />
      <span className="file-name mono">
        <LineText text={node.name} />
      </span>
      {/* The label already contains the numbers, so they are rendered without text of their own. */}
      {isFolder && !done && viewed > 0 && <span className="file-count" data-count={`${viewed}/${files}`} />}
      {done && <CheckIcon size={13} />}
      {remarks > 0 && <span className="file-remarks" data-count={remarks} />}
      {insertions + deletions > 0 && (
        <span className="diff-size">
          <span className="good" data-count={`+${insertions}`} />{' '}
          <span className="bad" data-count={`−${deletions}`} />
        </span>
      )}
    </div>
  );
}

function showFile(path: string): void {
  const head = [...document.querySelectorAll<HTMLElement>('[data-file]')].find(
    (each) => each.dataset['file'] === path,
  );
  head?.closest('section')?.scrollIntoView({ block: 'start' });
  head?.focus({ preventScroll: true });
}
