import { useEffect, useState } from 'react';
import type { DiffFile } from './diff.js';
import type { DraftComment } from './remarks.js';

interface ListProps {
  paths: string[];
  files: DiffFile[] | undefined;
  comments: DraftComment[];
}

const WIDE = '(min-width: 1100px)';

export function FileList({ paths, files, comments }: ListProps) {
  const [open, setOpen] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const settle = () => setOpen(wide.matches);
    wide.addEventListener('change', settle);
    return () => wide.removeEventListener('change', settle);
  }, []);
  const byPath = new Map(files?.map((file) => [file.path, file]));
  return (
    <details className="file-list" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{paths.length === 1 ? '1 file changed' : `${paths.length} files changed`}</summary>
      <ul>
        {paths.map((path) => {
          const file = byPath.get(path);
          const remarks = comments.filter((each) => each.path === path).length;
          return (
            <li key={path}>
              <button type="button" className="file-link" title={path} onClick={() => showFile(path)}>
                <FileName path={path} />
                {remarks > 0 && (
                  <span className="file-remarks" title={`${remarks} of your comments`}>
                    {remarks}
                  </span>
                )}
                {file && !file.binary && (
                  <span className="diff-size" aria-hidden="true">
                    <span className="good">+{file.insertions}</span>{' '}
                    <span className="bad">−{file.deletions}</span>
                  </span>
                )}
              </button>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** The name itself is never cut; the folders before it are. */
function FileName({ path }: { path: string }) {
  const at = path.lastIndexOf('/') + 1;
  return (
    <span className="file-name mono">
      {at > 0 && <span className="file-folder">{path.slice(0, at)}</span>}
      <span>{path.slice(at)}</span>
    </span>
  );
}

function showFile(path: string): void {
  const head = [...document.querySelectorAll<HTMLElement>('[data-file]')].find(
    (each) => each.dataset['file'] === path,
  );
  head?.closest('section')?.scrollIntoView({ block: 'start' });
  head?.focus({ preventScroll: true });
}
