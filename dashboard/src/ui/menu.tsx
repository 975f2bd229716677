import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from './button.js';
import { MoreIcon } from './icons.js';

export interface MenuItem {
  label: string;
  perform(): void;
  tone?: 'plain' | 'danger';
  disabled?: boolean;
}

interface MenuProps {
  label: string;
  items: MenuItem[];
  icon?: ReactNode;
}

const GAP = 4;

/** A button with a list of deeds; arrows walk through it, Escape and a click elsewhere close it. */
export function Menu({ label, items, icon = <MoreIcon /> }: MenuProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    const element = list.current;
    const button = frame.current?.querySelector('button');
    if (!open || !element || !button) return;
    element.showPopover();
    place(element, button.getBoundingClientRect());
    element.querySelector<HTMLElement>('button:not(:disabled)')?.focus();
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === 'closed') setOpen(false);
    };
    const onScroll = (event: Event) => {
      if (!element.contains(event.target as Node)) setOpen(false);
    };
    element.addEventListener('toggle', onToggle);
    document.addEventListener('scroll', onScroll, true);
    return () => {
      element.removeEventListener('toggle', onToggle);
      document.removeEventListener('scroll', onScroll, true);
    };
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
          {items.map((item) => (
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

/** Under the button, or above it where there is no room; never beyond the edge of the window. */
function place(element: HTMLElement, button: DOMRect): void {
  const { offsetHeight: height, offsetWidth: width } = element;
  const below = button.bottom + GAP + height <= window.innerHeight;
  const top = below ? button.bottom + GAP : Math.max(GAP, button.top - GAP - height);
  const left = Math.min(Math.max(GAP, button.right - width), window.innerWidth - width - GAP);
  element.style.top = `${top}px`;
  element.style.left = `${left}px`;
}
