import type { KeyboardEvent } from 'react';

/** Actions for tree items; `data-place` identifies an item and `data-name` is the name for type-ahead. */
interface TreeActions {
  focus(item: HTMLElement | undefined): void;
  toggle(place: string): void;
  choose(place: string): void;
}

/** Tree keyboard navigation: arrow keys, Home, End, Enter, Space and type-ahead. */
export function walkTree(event: KeyboardEvent, tree: HTMLElement | null, actions: TreeActions): void {
  const { focus, toggle, choose } = actions;
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
  const perform = keys[event.key] ?? jumpBy(event.key, items, at, focus);
  if (!perform) return;
  event.preventDefault();
  event.stopPropagation();
  perform();
}

const levelOf = (item: HTMLElement | undefined): number => Number(item?.ariaLevel ?? 0);

/** The items form a flat list; the parent is the nearest previous item one level up. */
const parentOf = (items: HTMLElement[], at: number): HTMLElement | undefined =>
  items.slice(0, at).findLast((item) => levelOf(item) < levelOf(items[at]));

function jumpBy(key: string, items: HTMLElement[], at: number, focus: TreeActions['focus']) {
  if (!/^[\p{L}\p{N}_.]$/u.test(key)) return undefined;
  const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const found = order.find((item) => item.dataset['name']?.toLowerCase().startsWith(key.toLowerCase()));
  return found && (() => focus(found));
}
