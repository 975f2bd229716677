import { changeItem, changeItems, type InboxChanges, type InboxItem, type InboxPage } from '../api/inbox.js';
import { changeAll, refresh } from '../api/resource.js';
import { formatInstant } from '../ui/display.js';
import { useToast } from '../ui/toast.js';

export function useInboxActions() {
  const toast = useToast();
  const change = async (items: readonly InboxItem[], changes: InboxChanges) => {
    const putBack = await changeAll<Known>('inbox:', (known) => showChange(known, items, changes));
    try {
      const [only, ...others] = items;
      if (only && others.length === 0) await changeItem(only.item_id, changes);
      else await changeItems(idsOf(items), changes);
      return true;
    } catch (error) {
      putBack();
      toast({ text: (error as Error).message, tone: 'error' });
      return false;
    } finally {
      refresh('inbox:');
    }
  };
  /** Restores the previous state with one request per distinct state. */
  const takeBack = async (items: readonly InboxItem[]) => {
    for (const [state, alike] of groupByState(items)) {
      try {
        await changeItems(idsOf(alike), JSON.parse(state) as InboxChanges);
      } catch (error) {
        toast({ text: `Not undone: ${(error as Error).message}`, tone: 'error' });
      }
    }
    refresh('inbox:');
  };
  const changeAndTell = async (items: readonly InboxItem[], changes: InboxChanges, text: string) => {
    if (items.length === 0 || !(await change(items, changes))) return;
    toast({ text, action: { label: 'Undo', perform: () => void takeBack(items) } });
  };
  return {
    read: (item: InboxItem) => {
      if (!item.read_at) void change([item], { read: true });
    },
    /** Marks the items as read, or as unread if all of them are read. */
    toggleRead: (items: readonly InboxItem[]) => {
      const read = items.some(({ read_at }) => !read_at);
      return changeAndTell(items, { read }, `${nameOf(items)} marked as ${read ? 'read' : 'unread'}`);
    },
    /** Marks the items as done, or reopens them if all of them are done. */
    toggleDone: (items: readonly InboxItem[]) => {
      const done = items.some(({ done_at }) => !done_at);
      const text = done ? `Done with ${nameOf(items)}` : `${nameOf(items)} open again`;
      return changeAndTell(items, { done }, text);
    },
    snooze: (items: readonly InboxItem[], until: Date | null) =>
      changeAndTell(
        items,
        { snoozed_until: until?.toISOString() ?? null },
        until
          ? `${nameOf(items)} snoozed until ${formatInstant(until.toISOString())}`
          : `${nameOf(items)} back in the inbox`,
      ),
  };
}

const idsOf = (items: readonly InboxItem[]): string[] => items.map(({ item_id }) => item_id);

const nameOf = (items: readonly InboxItem[]): string =>
  items.length === 1 ? (items[0]?.task?.ref ?? 'it') : `${items.length} items`;

function groupByState(items: readonly InboxItem[]): Map<string, InboxItem[]> {
  const groups = new Map<string, InboxItem[]>();
  for (const item of items) {
    const before: InboxChanges = {
      read: item.read_at !== null,
      done: item.done_at !== null,
      snoozed_until: item.snoozed_until,
    };
    const state = JSON.stringify(before);
    groups.set(state, [...(groups.get(state) ?? []), item]);
  }
  return groups;
}

/** A cached list is a single response or a list of pages. */
type Known = InboxPage | { pages: InboxPage[] };

function showChange(known: Known, items: readonly InboxItem[], changes: InboxChanges): Known {
  const ids = new Set(idsOf(items));
  const onPage = (page: InboxPage): InboxPage => ({ ...page, ...changePage(page, ids, changes) });
  return 'pages' in known ? { ...known, pages: known.pages.map(onPage) } : onPage(known);
}

/** Removes done and snoozed items from their list. */
function changePage({ items, total_open }: InboxPage, ids: ReadonlySet<string>, changes: InboxChanges) {
  const { read, done } = changes;
  if (done === undefined && changes.snoozed_until === undefined)
    return {
      items: items.map((each) =>
        ids.has(each.item_id) ? { ...each, read_at: read ? new Date().toISOString() : null } : each,
      ),
    };
  const leaving = items.filter(({ item_id }) => ids.has(item_id));
  const wereOpen = leaving.filter(({ done_at, snoozed_until }) => !done_at && !snoozed_until).length;
  return { items: items.filter(({ item_id }) => !ids.has(item_id)), total_open: total_open - wereOpen };
}
