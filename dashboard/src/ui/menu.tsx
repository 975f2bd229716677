import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from './button.js';
import { MoreIcon } from './icons.js';
import { usePopover } from './popover.js';

export interface MenuItem {
  label: string;
  perform(): void;
  tone?: 'plain' | 'danger';
  disabled?: boolean;
}

interface MenuProps {
  label: string;
  items: MenuItem[] | (() => MenuItem[]);
  icon?: ReactNode;
}

/** A button with a menu of actions. Arrow keys move the focus; Escape or an outside click closes it. */
export function Menu({ label, items, icon = <MoreIcon /> }: MenuProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLSpanElement>(null);
  usePopover({ open, list, frame, edge: 'right', onClose: useCallback(() => setOpen(false), []) });
  useEffect(() => {
    if (open) list.current?.querySelector<HTMLElement>('button:not(:disabled)')?.focus();
  }, [open]);

  function walk(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  }

  return (
    <span className="menu" ref={frame}>
      <IconButton
        label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={(event) => {
          event.stopPropagation();
          setOpen((shown) => !shown);
        }}
      >
        {icon}
      </IconButton>
      {open && (
        <div
          ref={list}
          id={id}
          className="menu-list"
          role="menu"
          popover="auto"
          tabIndex={-1}
          onKeyDown={walk}
        >
          {(typeof items === 'function' ? items() : items).map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              className={`menu-item menu-${item.tone ?? 'plain'}`}
              disabled={item.disabled}
              onClick={(event) => {
                event.stopPropagation();
                setOpen(false);
                frame.current?.querySelector('button')?.focus();
                item.perform();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}
