import { useEffect, useId, useRef, useState } from 'react';
import { Avatar } from '../ui/display.js';

interface MentionAreaProps {
  id: string;
  rows: number;
  value: string;
  names: readonly string[];
  refused?: boolean;
  onChange(text: string): void;
}

interface Mention {
  at: number;
  end: number;
  words: string;
}

const MOST = 6;
const LONGEST_NAME = 40;

/** Suggests names after an @: arrow keys select, Enter and Tab insert, Escape closes the list. */
export function MentionArea({ id, rows, value, names, refused, onChange }: MentionAreaProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const [mention, setMention] = useState<Mention>();
  const [active, setActive] = useState(0);
  const offered = mention ? names.filter((name) => fits(name, mention.words)).slice(0, MOST) : [];
  const isOpen = offered.length > 0;

  function take(name: string) {
    if (!mention) return;
    onChange(`${value.slice(0, mention.at)}@${name} ${value.slice(mention.end)}`);
    setMention(undefined);
    const caret = mention.at + name.length + 2;
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
    });
  }
  function look(text: string, caret: number) {
    setMention(mentionAt(text, caret));
    setActive(0);
  }
  const latest = useRef({ isOpen, take, offered, active });
  latest.current = { isOpen, take, offered, active };
  // A native listener runs before the surrounding dialog, which closes on Escape.
  useEffect(() => {
    const element = field.current;
    const onKey = (event: KeyboardEvent) => {
      const now = latest.current;
      if (!now.isOpen) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined && !['Enter', 'Tab', 'Escape'].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (step !== undefined) setActive((now.active + step + now.offered.length) % now.offered.length);
      else if (event.key === 'Escape') setMention(undefined);
      else now.take(now.offered[now.active]!);
    };
    element?.addEventListener('keydown', onKey);
    return () => element?.removeEventListener('keydown', onKey);
  }, []);

  return (
    <div className="mention-area">
      <textarea
        ref={field}
        id={id}
        className="input"
        rows={rows}
        value={value}
        aria-invalid={refused || undefined}
        aria-describedby={refused ? `${id}-error` : undefined}
        aria-autocomplete={names.length > 0 ? 'list' : undefined}
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
        onChange={(event) => {
          onChange(event.target.value);
          look(event.target.value, event.target.selectionStart);
        }}
        onBlur={() => setMention(undefined)}
      />
      {isOpen && (
        <div className="mention-list" role="listbox" id={listId} aria-label="People to mention" tabIndex={-1}>
          {offered.map((name, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
            <div
              key={name}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={index === active ? 'picker-option picker-active' : 'picker-option'}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(name)}
            >
              <Avatar name={name} size={18} /> {name}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** Finds the @ before the caret; an address such as a@b is not a mention. */
function mentionAt(text: string, caret: number): Mention | undefined {
  const at = text.lastIndexOf('@', caret - 1);
  if (at === -1 || (at > 0 && /[\w.]/.test(text[at - 1]!))) return undefined;
  const words = text.slice(at + 1, caret);
  if (words.length > LONGEST_NAME || /[\n@,;:!?]/.test(words)) return undefined;
  return { at, end: caret, words: words.toLowerCase() };
}

const fits = (name: string, words: string): boolean => {
  const whole = name.toLowerCase();
  return (
    whole !== words && (whole.startsWith(words) || whole.split(' ').some((part) => part.startsWith(words)))
  );
};
