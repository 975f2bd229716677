import { changeItem, type InboxItem } from '../api/inbox.js';
import { refresh } from '../api/resource.js';
import { useToast } from '../ui/toast.js';

/** What can be done with an item; each can be taken back. */
export function useInboxDeeds() {
  const toast = useToast();
  const change = async (item: InboxItem, changes: { read?: boolean; done?: boolean }) => {
    try {
      await changeItem(item.item_id, changes);
      return true;
    } catch (error) {
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
    /** Answers whether it was done. */
    toggleDone: async (item: InboxItem): Promise<boolean> => {
      const done = !item.done_at;
      if (!(await change(item, { done }))) return false;
      toast({
        text: done ? `Done with ${item.task?.ref ?? 'it'}` : `${item.task?.ref ?? 'It'} is open again`,
        action: { label: 'Undo', perform: () => void change(item, { done: !done }) },
      });
      return true;
    },
  };
}
