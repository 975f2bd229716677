import { useEffect, useRef, useState } from 'react';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { useSettled } from './settled.js';

interface TypedParameter {
  text: string;
  setText(text: string): void;
  /** The URL parameter, updated after a pause in typing. */
  asked: string;
}

/** A text field whose value is stored in the URL, so that links and Back preserve it. */
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
  // Sync the field when a link or Back changed the URL.
  useEffect(() => {
    if (asked === written.current) return;
    written.current = asked;
    setText(asked);
  }, [asked]);

  return { text, setText, asked };
}
