import { useEffect, useState } from 'react';

const TYPING_PAUSE_MS = 250;

/** What a person typed once they pause, so that a question is asked once and not for every letter. */
export function useSettled<T>(value: T, pauseMs = TYPING_PAUSE_MS): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
