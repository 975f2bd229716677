import { useEffect, useRef, useState } from 'react';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { useSettled } from './settled.js';

interface TypedParameter {
  /** What stands in the field. */
  text: string;
  setText(text: string): void;
  /** What the address says: the text once the person paused. */
  asked: string;
}

/** A field whose text is part of the address, so that a link and the way back keep it; nothing is asked while typing. */
export function useTypedParameter(name: string): TypedParameter {
  const asked = usePlace().query.get(name) ?? '';
  const [text, setText] = useState(asked);
  const settled = useSettled(text.trim());
  const written = useRef(asked);

  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    navigate(withParameters({ [name]: settled }), { replace: true });
  }, [settled, name]);
  // The way back, or a link, has put something else there.
  useEffect(() => {
    if (asked === written.current) return;
    written.current = asked;
    setText(asked);
  }, [asked]);

  return { text, setText, asked };
}
