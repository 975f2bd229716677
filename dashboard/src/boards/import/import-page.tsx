import { usePlace } from '../../shell/router.js';
import { Page } from '../../ui/page.js';
import { ImportForm } from './import-form.js';
import { ImportView } from './import-view.js';

/** Imports cards in three steps: choose a source, review the preview, run the import. */
export function ImportPage() {
  const { query } = usePlace();
  const importId = query.get('import');
  return (
    <Page
      wide
      title="Import"
      back={{ to: '/dashboard/boards', label: 'Boards' }}
      lead="Import cards from another product. You see a preview before any card is created."
    >
      {importId ? (
        <ImportView key={importId} importId={importId} />
      ) : (
        <ImportForm boardId={query.get('board')} />
      )}
    </Page>
  );
}
