import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { typeTitleAhead } from './composer-state.js';
import { typeAhead } from './palette-state.js';

export interface Command {
  id: string;
  label: string;
  group: string;
  /** A key, a sequence such as `g b`, or `mod+k` for Ctrl or Command. */
  keys?: string;
  words?: string;
  /** Shown only when searched for, so that Enter does not run it by accident. */
  sought?: boolean;
  perform(): void;
}

interface Registry {
  commands: Command[];
  register(commands: Command[]): () => void;
}

const CommandContext = createContext<Registry | undefined>(undefined);
const SEQUENCE_MS = 900;

export function CommandProvider({ children }: { children: ReactNode }) {
  const [lists, setLists] = useState<Command[][]>([]);
  const register = useRef((commands: Command[]) => {
    setLists((all) => [...all, commands]);
    return () => setLists((all) => all.filter((each) => each !== commands));
  });
  const commands = useMemo(() => lists.flat(), [lists]);
  useKeys(commands);
  const registry = useMemo(() => ({ commands, register: register.current }), [commands]);
  return <CommandContext.Provider value={registry}>{children}</CommandContext.Provider>;
}

function useRegistry(): Registry {
  const registry = useContext(CommandContext);
  if (!registry) throw new Error('There is no command provider above');
  return registry;
}

/** Registers commands while the component is mounted. `commands` must keep its identity (`useMemo`). */
export function useCommands(commands: Command[]): void {
  const { register } = useRegistry();
  useEffect(() => register(commands), [register, commands]);
}

export const useAllCommands = (): Command[] => useRegistry().commands;

/** The most recently registered command wins: a page's own shortcut overrides the shell's. */
function useKeys(commands: Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    let before = '';
    let at = 0;
    const onKey = (event: KeyboardEvent) => {
      const isThere = isPaletteThere() || document.querySelector('dialog .composer') !== null;
      if (!isThere && !event.defaultPrevented && (typeAhead(event) || typeTitleAhead(event))) {
        event.preventDefault();
        return;
      }
      const key = nameOf(event);
      if (!key || event.defaultPrevented || isTaken(event)) return;
      const sequence = event.timeStamp - at < SEQUENCE_MS && before ? `${before} ${key}` : '';
      before = key;
      at = event.timeStamp;
      const found =
        latest.current.findLast(({ keys }) => keys === sequence) ??
        latest.current.findLast(({ keys }) => keys === key);
      if (!found) return;
      event.preventDefault();
      before = '';
      found.perform();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

const isPaletteThere = (): boolean => document.querySelector('dialog.palette[open]') !== null;

function nameOf(event: KeyboardEvent): string | undefined {
  if (event.altKey || ['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return undefined;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.metaKey || event.ctrlKey ? `mod+${key}` : key;
}

/**
 * Ignores shortcuts while a dialog is open, because a command could navigate away from unsaved input. Plain
 * keys are also ignored in text fields.
 */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  if (dialog && !takesCommands(dialog) && !(isPaletteKey(event) && isRead(dialog))) return true;
  if (event.metaKey || event.ctrlKey) return false;
  return target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"])');
}

const takesCommands = (dialog: Element): boolean => dialog.matches('[data-commands]');

export const isPaletteKey = (event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey'>): boolean =>
  (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k';

/** The palette may open over a drawer without unsaved input. */
const isRead = (dialog: Element): boolean => dialog.matches('.dialog-drawer:not([data-typed])');
