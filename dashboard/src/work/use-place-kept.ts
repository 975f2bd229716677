import { type RefObject, useEffect, useRef } from 'react';

interface LeftPlace {
  address: string;
  cardId: string;
  top: number;
}

/** Where somebody was when they opened a card from the list: there they are again when they come back. */
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
    // Once the list has its height.
    requestAnimationFrame(() => {
      if (scroller.current) scroller.current.scrollTop = place.top;
      focusCard(place.cardId);
    });
  }, [address, isThere, scroller, focusCard]);

  return (cardId: string): void => {
    left = { address, cardId, top: scroller.current?.scrollTop ?? 0 };
  };
}
