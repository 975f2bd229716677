import { useEffect, useState } from 'react';

const TYPING_PAUSE_MS = 250;

/** Returns the value after a pause in typing, to send one request instead of one per keystroke. */
export function useSettled<T>(value: T, pauseMs = TYPING_PAUSE_MS): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
