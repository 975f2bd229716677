import { type RefObject, useEffect, useRef } from 'react';

interface LeftPlace {
  address: string;
  cardId: string;
  top: number;
}

/** The scroll position and focused card to restore when the user returns from a card. */
let left: LeftPlace | undefined;

export function usePlaceKept(
  address: string,
  scroller: RefObject<HTMLElement | null>,
  isThere: boolean,
  focusCard: (cardId: string) => void,
) {
  const done = useRef(false);
  useEffect(() => {
    if (!isThere || done.current) return;
    done.current = true;
    const place = left?.address === address ? left : undefined;
    left = undefined;
    if (!place) return;
    // Wait for the list to get its height.
    requestAnimationFrame(() => {
      if (scroller.current) scroller.current.scrollTop = place.top;
      focusCard(place.cardId);
    });
  }, [address, isThere, scroller, focusCard]);

  return (cardId: string): void => {
    left = { address, cardId, top: scroller.current?.scrollTop ?? 0 };
  };
}
