import { changeItem, type InboxItem, type InboxPage } from '../api/inbox.js';
import { changeAll, refresh } from '../api/resource.js';
import { useToast } from '../ui/toast.js';

interface Changes {
  read?: boolean;
  done?: boolean;
}

/** What can be done with an item: shown at once, and each can be taken back. */
export function useInboxDeeds() {
  const toast = useToast();
  const change = async (item: InboxItem, changes: Changes) => {
    const putBack = await changeAll<Known>('inbox:', (known) => showChange(known, item, changes));
    try {
      await changeItem(item.item_id, changes);
      return true;
    } catch (error) {
      putBack();
      toast({ text: (error as Error).message, tone: 'error' });
      return false;
    } finally {
      refresh('inbox:');
    }
  };
  return {
    read: (item: InboxItem) => {
      if (!item.read_at) void change(item, { read: true });
    },
    toggleRead: (item: InboxItem | undefined) => {
      if (item) void change(item, { read: !item.read_at });
    },
    toggleDone: async (item: InboxItem) => {
      const done = !item.done_at;
      if (!(await change(item, { done }))) return;
      toast({
        text: done ? `Done with ${item.task?.ref ?? 'it'}` : `${item.task?.ref ?? 'It'} is open again`,
        action: { label: 'Undo', perform: () => void change(item, { done: !done }) },
      });
    },
  };
}

/** Lists are kept as one answer, or page by page. */
type Known = InboxPage | { pages: InboxPage[] };

function showChange(known: Known, item: InboxItem, changes: Changes): Known {
  const onPage = (page: InboxPage): InboxPage => ({ ...page, ...changePage(page, item, changes) });
  return 'pages' in known ? { ...known, pages: known.pages.map(onPage) } : onPage(known);
}

function changePage({ items, total_open }: InboxPage, item: InboxItem, { read, done }: Changes) {
  if (done === undefined)
    return {
      items: items.map((each) =>
        each.item_id === item.item_id ? { ...each, read_at: read ? new Date().toISOString() : null } : each,
      ),
    };
  return {
    items: items.filter(({ item_id }) => item_id !== item.item_id),
    total_open: total_open + (done ? -1 : 1),
  };
}
