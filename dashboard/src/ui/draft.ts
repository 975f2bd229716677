import { useCallback, useEffect, useRef, useState } from 'react';
import { useSession } from '../shell/session.js';

const WRITE_PAUSE_MS = 300;

export interface Draft<T> {
  value: T;
  set(value: T): void;
  dirty: boolean;
  clear(): void;
}

/** Keeps unsent input per window and user, so that Escape, a reload or a new sign-in does not lose it. */
export function useDraft<T>(name: string, initial: T): Draft<T> {
  const { user, brand } = useSession();
  const key = `guildhall:draft:${brand.brand_id}:${user.user_id}:${name}`;
  const [value, setValue] = useState<T | undefined>(() => read<T>(key));
  const latest = useRef({ key, value });
  latest.current = { key, value };

  useEffect(() => {
    const timer = setTimeout(() => write(key, value), WRITE_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [key, value]);
  // Save the latest input when the page or the dialog closes.
  useEffect(() => {
    const keep = () => write(latest.current.key, latest.current.value);
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      keep();
    };
  }, []);

  const clear = useCallback(() => {
    latest.current.value = undefined;
    setValue(undefined);
    write(key, undefined);
  }, [key]);
  const shown = value ?? initial;
  return { value: shown, set: setValue, dirty: JSON.stringify(shown) !== JSON.stringify(initial), clear };
}

function read<T>(key: string): T | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

/** Without sessionStorage the draft lasts until the page is closed. */
function write(key: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    return;
  }
}
