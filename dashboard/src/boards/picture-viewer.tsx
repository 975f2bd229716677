import { useEffect, useRef, useState } from 'react';
import type { Attachment } from '../api/attachments.js';
import { IconButton } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { ArrowIcon, BackIcon } from '../ui/icons.js';

interface ViewerProps {
  pictures: readonly Attachment[];
  first: string;
  onClose(): void;
}

export function PictureViewer({ pictures, first, onClose }: ViewerProps) {
  const [shown, setShown] = useState(first);
  const at = Math.max(
    0,
    pictures.findIndex(({ id }) => id === shown),
  );
  const picture = pictures[at];
  const frame = useRef<HTMLDivElement>(null);
  const step = (by: number) => {
    const next = pictures[at + by];
    if (next) setShown(next.id);
  };
  const latest = useRef(step);
  latest.current = step;
  useEffect(() => {
    const dialog = frame.current?.closest('dialog');
    const onKey = (event: KeyboardEvent) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current(by);
    };
    dialog?.addEventListener('keydown', onKey);
    return () => dialog?.removeEventListener('keydown', onKey);
  }, []);

  return (
    <Dialog shape="picture" guard="none" title={picture?.name ?? 'Picture'} onClose={onClose}>
      <div className="picture-viewer" ref={frame}>
        {picture && <img src={picture.url} alt={picture.name} />}
        <div className="picture-bar">
          <IconButton label="Previous picture" disabled={at === 0} onClick={() => step(-1)}>
            <BackIcon />
          </IconButton>
          <span className="small muted" aria-live="polite">
            {at + 1} of {pictures.length}
          </span>
          <IconButton label="Next picture" disabled={at >= pictures.length - 1} onClick={() => step(1)}>
            <ArrowIcon />
          </IconButton>
          {picture && (
            <a href={picture.url} download={picture.name} className="small">
              Download
            </a>
          )}
        </div>
      </div>
    </Dialog>
  );
}
