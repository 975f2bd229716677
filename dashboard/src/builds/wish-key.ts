import { useRef } from 'react';

/** One key for one set of words: sent again after a lost answer they make no second build, other words do. */
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
