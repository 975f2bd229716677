import { useEffect, useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh, useResource } from '../api/resource.js';
import { deleteView, listViews, type SavedView, saveView, shareView } from '../api/work.js';
import { Link, navigate, usePlace } from '../shell/router.js';
import { useIsGuest, useSession } from '../shell/session.js';
import { Button, copyText } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { Checkbox, TextField } from '../ui/field.js';
import { Menu, type MenuItem } from '../ui/menu.js';
import { useToast } from '../ui/toast.js';
import { canonical, USUAL_VIEWS } from './filters.js';

export function ViewBar({ query }: { query: string }) {
  const views = useResource('views', listViews);
  const [naming, setNaming] = useState(false);
  const kept = views.data?.views;
  const isShown = (view: { query: string }) => canonical(view.query) === query;
  const known = [...USUAL_VIEWS, ...(kept ?? [])].some(isShown);
  useNamedView(kept);

  return (
    <nav className="view-bar" aria-label="Views">
      {USUAL_VIEWS.map((view) => (
        <ViewLink key={view.name} name={view.name} query={view.query} current={isShown(view)} />
      ))}
      {kept?.map((view) => (
        <KeptView key={view.view_id} view={view} current={isShown(view)} />
      ))}
      {!known && (
        <Button small onClick={() => setNaming(true)}>
          Save view
        </Button>
      )}
      {naming && <NameDialog query={query} onClose={() => setNaming(false)} />}
    </nav>
  );
}

/** `?view=` opens a saved view with its current filters, also for users it is shared with. */
function useNamedView(kept: SavedView[] | undefined): void {
  const id = usePlace().query.get('view');
  const toast = useToast();
  useEffect(() => {
    if (!id || !kept) return;
    const view = kept.find(({ view_id }) => view_id === id);
    navigate(view ? `/dashboard/work?${view.query}` : '/dashboard/work', { replace: true });
    if (!view) toast({ text: 'This view was deleted or is not shared with you', tone: 'error' });
  }, [id, kept, toast]);
}

function KeptView({ view, current }: { view: SavedView; current: boolean }) {
  const { user, role } = useSession();
  const isMine = view.owner.user_id === user.user_id;
  const actions = useViewActions(view);
  const change: MenuItem[] = [
    ...(role === 'guest'
      ? []
      : [
          view.shared
            ? { label: 'Stop sharing', perform: () => void actions.share(false) }
            : { label: 'Share with the workspace', perform: () => void actions.share(true) },
        ]),
    { label: 'Delete', tone: 'danger', perform: () => void actions.remove() },
  ];
  return (
    <span className="own-view">
      <ViewLink
        name={view.name}
        query={view.query}
        current={current}
        mark={view.shared ? (isMine ? 'shared' : view.owner.name) : undefined}
      />
      <Menu
        label={`More on the view ${view.name}`}
        items={[
          { label: 'Copy link', perform: () => void actions.copyLink() },
          ...(isMine || role === 'admin' ? change : []),
        ]}
      />
    </span>
  );
}

function useViewActions(view: SavedView) {
  const toast = useToast();
  const { view_id, name, query, shared } = view;
  /** Returns whether it succeeded; errors are shown as a toast. */
  const attempt = async (perform: () => Promise<unknown>, refusal = '') => {
    try {
      await perform();
      return true;
    } catch (error) {
      toast({ text: `${refusal}${(error as Error).message}`, tone: 'error' });
      return false;
    } finally {
      refresh('views');
    }
  };
  const undo = (perform: () => Promise<unknown>) => ({
    label: 'Undo',
    perform: () => void attempt(perform, 'Not undone: '),
  });
  return {
    async share(on: boolean) {
      if (await attempt(() => shareView(view_id, on)))
        toast({
          text: on ? `${name} is shared with all members` : `${name} is private again`,
          action: undo(() => shareView(view_id, !on)),
        });
    },
    async remove() {
      if (await attempt(() => deleteView(view_id)))
        toast({
          text: `${name} deleted`,
          action: undo(() => saveView({ name, query, shared })),
        });
    },
    async copyLink() {
      const link = `${location.origin}/dashboard/work?view=${view_id}`;
      const copied = await copyText(link);
      const words = shared
        ? 'The link works for all members'
        : 'The link works for you; share the view first';
      toast(copied ? { text: words } : { text: `The link is ${link}`, tone: 'error' });
    },
  };
}

interface LinkProps {
  name: string;
  query: string;
  current: boolean;
  /** The owner, or that the view is shared. */
  mark?: string;
}

function ViewLink({ name, query, current, mark }: LinkProps) {
  return (
    <Link
      className="chip chip-link"
      to={`/dashboard/work?${query}`}
      aria-current={current ? 'page' : undefined}
    >
      {name}
      {mark && <span className="view-mark"> {mark}</span>}
    </Link>
  );
}

function NameDialog({ query, onClose }: { query: string; onClose(): void }) {
  const isGuest = useIsGuest();
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const save = useAction(async () => {
    await saveView({ name: name.trim(), query, shared });
    refresh('views');
    onClose();
  });
  return (
    <FormDialog
      title="Save view"
      submit="Keep"
      action={save}
      disabled={!name.trim()}
      onSubmit={() => void save.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        field="name"
        required
        maxLength={80}
        hint={shared ? 'All members of the workspace see it.' : 'Only you see it.'}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {!isGuest && <Checkbox label="Share with the workspace" checked={shared} onChange={setShared} />}
    </FormDialog>
  );
}
