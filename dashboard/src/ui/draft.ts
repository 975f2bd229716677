import { useCallback, useEffect, useRef, useState } from 'react';
import { useSession } from '../shell/session.js';

const WRITE_PAUSE_MS = 300;

export interface Draft<T> {
  value: T;
  set(value: T): void;
  /** Differs from what it began with. */
  dirty: boolean;
  /** Sent or thrown away. */
  clear(): void;
}

/**
 * What somebody typed and has not sent. It is kept for this window, by person, so that neither Escape nor a reload nor
 * a sign-in in between loses it.
 */
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
  // Whatever closes the page or the dialog: the last letters count too.
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

/** A browser may refuse to keep anything; then a draft lives as long as its page. */
function write(key: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    return;
  }
}
