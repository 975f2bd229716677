import { useEffect, useState } from 'react';
import { CheckIcon } from '../../ui/icons.js';
import type { DiffFile } from './diff.js';
import { LineText } from './diff-lines.js';

interface ListProps {
  paths: string[];
  files: DiffFile[] | undefined;
  /** How many comments on a file ask for something. */
  countOf(path: string): number;
  isViewed(path: string): boolean;
}

/** Fewer are seen at a glance. */
const FILTERED_FROM = 8;

/** By folder, as a tree reads. */
function foldersOf(paths: string[]): [string, string[]][] {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return [...folders].sort(([a], [b]) => a.localeCompare(b));
}

const WIDE = '(min-width: 1100px)';

export function FileList({ paths, files, countOf, isViewed }: ListProps) {
  const [wanted, setWanted] = useState('');
  const [open, setOpen] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const settle = () => setOpen(wide.matches);
    wide.addEventListener('change', settle);
    return () => wide.removeEventListener('change', settle);
  }, []);
  const words = wanted.trim().toLowerCase();
  const folders = foldersOf(paths.filter((path) => path.toLowerCase().includes(words)));
  const byPath = new Map(files?.map((file) => [file.path, file]));
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
      <ul className="file-tree">
        {folders.map(([folder, within]) => (
          <li key={folder}>
            {folder && <div className="file-folder mono">{folder}</div>}
            <ul>
              {within.map((path) => (
                <li key={path}>
                  <FileEntry
                    path={path}
                    file={byPath.get(path)}
                    remarks={countOf(path)}
                    viewed={isViewed(path)}
                  />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {folders.length === 0 && <p className="muted small">No file is called so.</p>}
    </details>
  );
}

interface EntryProps {
  path: string;
  file: DiffFile | undefined;
  remarks: number;
  viewed: boolean;
}

function FileEntry({ path, file, remarks, viewed }: EntryProps) {
  return (
    <button
      type="button"
      className={viewed ? 'file-link file-viewed' : 'file-link'}
      title={path}
      onClick={() => showFile(path)}
    >
      <span className="file-name mono">
        <LineText text={path.slice(path.lastIndexOf('/') + 1)} />
      </span>
      {viewed && (
        <>
          <CheckIcon size={13} />
          <span className="off-screen">viewed</span>
        </>
      )}
      {remarks > 0 && (
        <span className="file-remarks" title={remarks === 1 ? '1 comment' : `${remarks} comments`}>
          {remarks}
        </span>
      )}
      {file && !file.binary && (
        <span className="diff-size" aria-hidden="true">
          <span className="good">+{file.insertions}</span> <span className="bad">−{file.deletions}</span>
        </span>
      )}
    </button>
  );
}

function showFile(path: string): void {
  const head = [...document.querySelectorAll<HTMLElement>('[data-file]')].find(
    (each) => each.dataset['file'] === path,
  );
  head?.closest('section')?.scrollIntoView({ block: 'start' });
  head?.focus({ preventScroll: true });
}
