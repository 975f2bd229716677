import { useState } from 'react';
import type { InboxItem } from '../api/inbox.js';

export function useSelection(items: readonly InboxItem[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState(0);
  const chosen = items.filter(({ item_id }) => ids.has(item_id));

  function toggle(place: number, toHere = false): void {
    const item = items[place];
    if (!item) return;
    const next = new Set(ids);
    if (toHere)
      for (const each of items.slice(Math.min(anchor, place), Math.max(anchor, place) + 1))
        next.add(each.item_id);
    else if (!next.delete(item.item_id)) next.add(item.item_id);
    setIds(next);
    setAnchor(place);
  }
  return {
    chosen,
    has: (itemId: string) => ids.has(itemId),
    toggle,
    chooseAll: () => setIds(new Set(items.map(({ item_id }) => item_id))),
    clear: () => setIds(new Set()),
  };
}
