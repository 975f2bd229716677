import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import { CheckIcon } from './icons.js';
import { usePopover } from './popover.js';

export interface PickerOption {
  id: string;
  label: string;
  hint?: string;
  icon?: ReactNode;
}

interface PickerProps {
  label: string;
  options: PickerOption[];
  chosen: readonly string[];
  /** Allows several choices and keeps the list open. */
  multiple?: boolean;
  onPick(id: string): void;
  /** Adds a new option with the typed name. */
  onAdd?(text: string): void;
  /** Receives the typed text when the options come from a search. */
  onType?(text: string): void;
  placeholder?: string;
  className?: string;
  children: ReactNode;
}

const MOST_SHOWN = 60;

export function Picker(props: PickerProps) {
  const { label, chosen, className = 'picker-button', children } = props;
  const [open, setOpen] = useState(false);
  const id = useId();
  const frame = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const close = useCallback(() => setOpen(false), []);
  usePopover({ open, list, frame, edge: 'left', onClose: close });

  return (
    <span className="picker" ref={frame}>
      <button
        type="button"
        className={className}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        data-chosen={chosen.length > 0 || undefined}
        onClick={() => setOpen(!open)}
      >
        <span className="off-screen">{label}: </span>
        {children}
      </button>
      {open && (
        <div
          ref={list}
          id={id}
          className="picker-list"
          popover="auto"
          role="dialog"
          aria-label={label}
          data-unguarded
        >
          <Choices
            {...props}
            onDone={() => {
              close();
              frame.current?.querySelector('button')?.focus();
            }}
          />
        </div>
      )}
    </span>
  );
}

function Choices({
  label,
  options,
  chosen,
  multiple,
  onPick,
  onAdd,
  onType,
  placeholder = onAdd ? 'Search or add' : 'Search',
  onDone,
}: PickerProps & { onDone(): void }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  const words = text.trim().toLowerCase();
  const found = onType ? options : options.filter((option) => matches(option, words));
  const addable = onAdd && words && !options.some((option) => option.label.toLowerCase() === words);
  const shown: PickerOption[] = [
    ...found.slice(0, MOST_SHOWN),
    ...(addable ? [{ id: ADD, label: `Add “${text.trim()}”` }] : []),
  ];
  const current = Math.min(active, shown.length - 1);

  function pick(option: PickerOption) {
    if (option.id === ADD) onAdd?.(text.trim());
    else onPick(option.id);
    if (!multiple) return onDone();
    setText('');
    onType?.('');
    field.current?.focus();
  }
  function walk(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((current + step + shown.length) % Math.max(1, shown.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      const option = shown[current];
      if (option) pick(option);
    }
    if (event.key === 'Tab') onDone();
  }

  return (
    <>
      <input
        ref={field}
        className="picker-search"
        role="combobox"
        aria-label={`Search: ${label}`}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={shown[current] ? `${id}-${current}` : undefined}
        placeholder={placeholder}
        value={text}
        onKeyDown={walk}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
          onType?.(event.target.value);
        }}
      />
      <div
        className="picker-options"
        role="listbox"
        id={`${id}-list`}
        aria-label={label}
        aria-multiselectable={multiple || undefined}
        tabIndex={-1}
      >
        {shown.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={option.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={chosen.includes(option.id)}
            className={index === current ? 'picker-option picker-active' : 'picker-option'}
            ref={index === current ? showInList : undefined}
            onMouseMove={() => setActive(index)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(option)}
          >
            <span className="picker-mark">{chosen.includes(option.id) && <CheckIcon size={14} />}</span>
            {option.icon}
            <span className="picker-label">{option.label}</span>
            {option.hint && <span className="muted small">{option.hint}</span>}
          </div>
        ))}
      </div>
      {shown.length === 0 && <div className="picker-none">Nothing found</div>}
      {found.length > MOST_SHOWN && (
        <div className="picker-none">{found.length - MOST_SHOWN} more: type to narrow it down</div>
      )}
    </>
  );
}

const ADD = '\u0000add';
const showInList = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });
const matches = ({ label, hint = '' }: PickerOption, words: string): boolean =>
  `${label} ${hint}`.toLowerCase().includes(words);
