import type { ClipboardEvent, DragEvent } from 'react';

/** Distinguishes files from cards, which are dragged too. */
const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** Event handlers for dropped or pasted files; the innermost target receives them. */
export function fileTarget(take: ((files: File[]) => void) | undefined) {
  if (!take) return {};
  const mark = (event: DragEvent, on: boolean) => {
    if (on) (event.currentTarget as HTMLElement).dataset['over'] = '';
    else delete (event.currentTarget as HTMLElement).dataset['over'];
  };
  return {
    onDragOver(event: DragEvent) {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      mark(event, true);
    },
    onDragLeave(event: DragEvent) {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) mark(event, false);
    },
    onDrop(event: DragEvent) {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      mark(event, false);
      take([...event.dataTransfer.files]);
    },
    onPaste(event: ClipboardEvent) {
      const files = [...event.clipboardData.files];
      if (files.length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      take(files.map(withTellingName));
    },
  };
}

const times = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' });

/** Browsers name every pasted picture image.png, so add the time. */
function withTellingName(file: File): File {
  if (file.name !== 'image.png') return file;
  const at = times.format(new Date()).replaceAll(':', '.');
  return new File([file], `Pasted ${at}.png`, { type: file.type });
}
