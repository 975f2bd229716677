import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { besideHit, HitText } from '../search/marked.js';
import { isPaletteKey } from '../shell/commands.js';
import { closePalette, takeTypedAhead } from '../shell/palette-state.js';
import { SearchIcon } from '../ui/icons.js';
import { Keys } from './keys.js';
import { type Entry, type Reach, SEARCH_PAGE, useEntries } from './use-entries.js';

export default function Palette({ reach = 'workspace' }: { reach?: Reach }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  // Enter was pressed before the results arrived: open the first one when they do.
  const [hasty, setHasty] = useState(false);
  const { entries, asking } = useEntries(typed, reach);
  const id = useId();
  const place = Math.min(at, entries.length - 1);
  const current = entries[place];

  // A layout effect inserts the text typed ahead before the user can type into the field.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const ahead = takeTypedAhead();
    if (ahead) setTyped((typed) => ahead + typed);
    return () => element?.close();
  }, []);
  useEffect(() => {
    if (current) document.getElementById(`${id}-${place}`)?.scrollIntoView({ block: 'nearest' });
  }, [current, place, id]);

  useEffect(() => {
    if (!hasty || asking) return;
    setHasty(false);
    choose(current);
  }, [hasty, asking, current]);

  function onKey(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((place + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (asking && (!current || current.found)) setHasty(true);
      else choose(current);
    } else if (isPaletteKey(event)) {
      // The browser would use this shortcut too, for example to focus the address bar.
      event.preventDefault();
      closePalette();
    }
  }

  return (
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Search or do anything"
      onCancel={closePalette}
      onMouseDown={(event) => event.target === dialog.current && closePalette()}
    >
      <label className="palette-field">
        <SearchIcon size={18} />
        <span className="off-screen">Search or do anything</span>
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={current ? `${id}-${place}` : undefined}
          aria-autocomplete="list"
          placeholder={
            reach === 'workspace' ? 'Type words, a card or what you want to do' : 'Type what you want to do'
          }
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
            setHasty(false);
          }}
          onKeyDown={onKey}
        />
      </label>
      <div className="palette-list" role="listbox" id={`${id}-list`} aria-label="Found" tabIndex={-1}>
        {entries.map((entry, index) => (
          <Row
            key={entry.id}
            id={`${id}-${index}`}
            entry={entry}
            heading={entries[index - 1]?.group !== entry.group}
            chosen={index === place}
            onPoint={() => setAt(index)}
            onChoose={() => choose(entry)}
          />
        ))}
      </div>
      <div className="palette-foot" role="status">
        {asking ? 'Looking…' : describeFound(entries)}
      </div>
    </dialog>
  );
}

function choose(entry: Entry | undefined): void {
  if (!entry) return;
  closePalette();
  // Wait until the dialog is closed and the focus is back, because the action may open a dialog itself.
  setTimeout(entry.perform, 0);
}

function describeFound(entries: Entry[]): string {
  const count = entries.filter(({ id }) => id !== SEARCH_PAGE).length;
  return count === 0 ? 'No results.' : `${count} found`;
}

interface RowProps {
  id: string;
  entry: Entry;
  heading: boolean;
  chosen: boolean;
  onPoint(): void;
  onChoose(): void;
}

function Row({ id, entry, heading, chosen, onPoint, onChoose }: RowProps) {
  return (
    <>
      {heading && (
        <div className="palette-group" role="presentation">
          {entry.group}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={chosen}
        className="palette-row"
        onMouseMove={onPoint}
        onClick={onChoose}
      >
        {entry.hint && <span className="mono muted">{entry.hint}</span>}
        {entry.hit ? <HitText hit={entry.hit} /> : <span className="palette-label">{entry.label}</span>}
        {entry.hit && <span className="hit-beside">{besideHit(entry.hit)}</span>}
        {entry.keys && <Keys keys={entry.keys} />}
      </div>
    </>
  );
}
