import type { KeyboardEvent } from 'react';

/** What the items of a tree let the keys do; `data-place` names an item, `data-name` is what letters find it by. */
interface TreeDeeds {
  focus(item: HTMLElement | undefined): void;
  toggle(place: string): void;
  choose(place: string): void;
}

/** Arrows walk and open, Home and End lead to the ends, Enter and the space bar choose, letters jump. */
export function walkTree(event: KeyboardEvent, tree: HTMLElement | null, deeds: TreeDeeds): void {
  const { focus, toggle, choose } = deeds;
  const items = [...(tree?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
  const item = (event.target as HTMLElement).closest<HTMLElement>('[role="treeitem"]');
  if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
  const at = items.indexOf(item);
  const place = item.dataset['place'] as string;
  const expanded = item.getAttribute('aria-expanded');
  const keys: Record<string, () => void> = {
    ArrowDown: () => focus(items[at + 1]),
    ArrowUp: () => focus(items[at - 1]),
    Home: () => focus(items[0]),
    End: () => focus(items.at(-1)),
    ArrowRight: () => (expanded === 'false' ? toggle(place) : expanded === 'true' && focus(items[at + 1])),
    ArrowLeft: () => (expanded === 'true' ? toggle(place) : focus(parentOf(items, at))),
    Enter: () => choose(place),
    ' ': () => choose(place),
  };
  const deed = keys[event.key] ?? jumpBy(event.key, items, at, focus);
  if (!deed) return;
  event.preventDefault();
  event.stopPropagation();
  deed();
}

const levelOf = (item: HTMLElement | undefined): number => Number(item?.ariaLevel ?? 0);

/** The items stand in one list; the parent is the nearest before that lies one level higher. */
const parentOf = (items: HTMLElement[], at: number): HTMLElement | undefined =>
  items.slice(0, at).findLast((item) => levelOf(item) < levelOf(items[at]));

/** To the next item whose name begins with the letter. */
function jumpBy(key: string, items: HTMLElement[], at: number, focus: TreeDeeds['focus']) {
  if (!/^[\p{L}\p{N}_.]$/u.test(key)) return undefined;
  const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const found = order.find((item) => item.dataset['name']?.toLowerCase().startsWith(key.toLowerCase()));
  return found && (() => focus(found));
}
