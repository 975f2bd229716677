import { useRef } from 'react';

/** Idempotency key of a request: a retry of the same request starts no second build, a changed one does. */
export function useWishKey(): (wish: unknown) => string {
  const known = useRef({ text: '', key: '' });
  return (wish) => {
    const text = JSON.stringify(wish);
    if (known.current.text !== text) known.current = { text, key: newKey() };
    return known.current.key;
  };
}

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
