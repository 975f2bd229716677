import { useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh, useResource } from '../api/resource.js';
import { deleteView, listViews, type SavedView, saveView } from '../api/work.js';
import { Link } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { CloseIcon } from '../ui/icons.js';
import { useToast } from '../ui/toast.js';
import { canonical, USUAL_VIEWS } from './filters.js';

/** The usual views and the person's own; the present one can be kept. */
export function ViewBar({ query }: { query: string }) {
  const views = useResource('views', listViews);
  const toast = useToast();
  const [naming, setNaming] = useState(false);
  const own = views.data?.views ?? [];
  const isShown = (view: { query: string }) => canonical(view.query) === query;
  const known = [...USUAL_VIEWS, ...own].some(isShown);

  async function keepAgain({ name, query: kept }: SavedView) {
    try {
      await saveView(name, kept);
    } catch (error) {
      toast({ text: `Not undone: ${(error as Error).message}`, tone: 'error' });
    }
    refresh('views');
  }

  async function remove(view: SavedView) {
    try {
      await deleteView(view.view_id);
      toast({
        text: `${view.name} is no longer kept`,
        action: {
          label: 'Undo',
          perform: () => void keepAgain(view),
        },
      });
    } catch (error) {
      toast({ text: (error as Error).message, tone: 'error' });
    }
    refresh('views');
  }

  return (
    <nav className="view-bar" aria-label="Views">
      {USUAL_VIEWS.map((view) => (
        <ViewLink key={view.name} name={view.name} query={view.query} current={isShown(view)} />
      ))}
      {own.map((view) => (
        <span key={view.view_id} className="own-view">
          <ViewLink name={view.name} query={view.query} current={isShown(view)} />
          <button
            type="button"
            className="icon-button"
            aria-label={`Delete the view ${view.name}`}
            onClick={() => void remove(view)}
          >
            <CloseIcon size={13} />
          </button>
        </span>
      ))}
      {!known && (
        <Button small onClick={() => setNaming(true)}>
          Keep this view
        </Button>
      )}
      {naming && <NameDialog query={query} onClose={() => setNaming(false)} />}
    </nav>
  );
}

function ViewLink({ name, query, current }: { name: string; query: string; current: boolean }) {
  return (
    <Link
      className="chip chip-link"
      to={`/dashboard/work?${query}`}
      aria-current={current ? 'page' : undefined}
    >
      {name}
    </Link>
  );
}

function NameDialog({ query, onClose }: { query: string; onClose(): void }) {
  const [name, setName] = useState('');
  const save = useAction(async () => {
    await saveView(name.trim(), query);
    refresh('views');
    onClose();
  });
  return (
    <FormDialog
      title="Keep this view"
      submit="Keep"
      action={save}
      disabled={!name.trim()}
      onSubmit={() => void save.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={80}
        hint="Only you see it."
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
