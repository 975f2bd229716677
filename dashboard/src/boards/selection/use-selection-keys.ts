import { useEffect, useMemo, useRef } from 'react';
import { type Command, useCommands } from '../../shell/commands.js';
import type { Selection } from './use-selection.js';

interface KeyOptions {
  group: string;
  /** False where the user may not edit the cards. */
  enabled: boolean;
  selection: Selection;
  current(): string | undefined;
}

/** Shortcuts: `x` toggles the focused card, Ctrl+A selects all, Escape clears, `e` opens the batch menu. */
export function useSelectionKeys({ group, enabled, selection, current }: KeyOptions): void {
  const latest = useRef({ selection, current });
  latest.current = { selection, current };
  const { toggle, all, clear } = selection;
  const any = selection.ids.size > 0;

  const commands = useMemo<Command[]>(() => {
    if (!enabled) return [];
    const chosen: Command[] = [
      { id: 'selection-clear', label: 'Select nothing', group, keys: 'Escape', perform: clear },
      {
        id: 'selection-bar',
        label: 'Change the selected cards',
        group,
        keys: 'e',
        perform: () => document.querySelector<HTMLElement>('.selection-bar button')?.focus(),
      },
    ];
    return [
      {
        id: 'selection-toggle',
        label: 'Select the card',
        group,
        keys: 'x',
        words: 'mark choose',
        perform: () => {
          const cardId = latest.current.current();
          if (cardId) toggle(cardId);
        },
      },
      { id: 'selection-all', label: 'Select all that is shown (Ctrl A)', group, perform: all },
      ...(any ? chosen : []),
    ];
  }, [group, enabled, any, toggle, all, clear]);
  useCommands(commands);

  useEffect(() => {
    if (!enabled) return;
    const onKey = (event: KeyboardEvent) => {
      const isAll = event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      if (!isAll || event.altKey || isElsewhere(event.target as HTMLElement)) return;
      event.preventDefault();
      all();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [enabled, all]);
}

/** Ignores keys typed into a text field or while a dialog is open. */
const isElsewhere = (target: HTMLElement): boolean =>
  target.isContentEditable ||
  target.matches('input:not([type="checkbox"]), textarea, select') ||
  document.querySelector('dialog[open]') !== null;
