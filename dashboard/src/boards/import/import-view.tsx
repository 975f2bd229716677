import { useState } from 'react';
import { useAction } from '../../api/action.js';
import { type Board, readBoard } from '../../api/boards.js';
import { deleteImport, type Import, readImport, startImport } from '../../api/imports.js';
import { peekResource, putResource, useResource } from '../../api/resource.js';
import { Link, navigate, withParameters } from '../../shell/router.js';
import { Button } from '../../ui/button.js';
import { countOf } from '../../ui/display.js';
import { ErrorNote, Loaded, Note } from '../../ui/feedback.js';
import { Section } from '../../ui/page.js';
import { Losses, People, StateMapping } from './import-parts.js';
import { ImportRows } from './import-rows.js';
import { SOURCES } from './sources.js';

const POLL_MS = 700;
const NOBODY = {};
const isLive = ({ status }: Import): boolean => status === 'reading' || status === 'running';

/** The import id is in the URL, so the user can leave the page and come back to a running import. */
export function ImportView({ importId }: { importId: string }) {
  const key = `import:${importId}`;
  const known = peekResource<Import>(key);
  const found = useResource<Import>(key, (signal) => readImport(importId, signal), {
    pollMs: !known || isLive(known) ? POLL_MS : null,
  });
  const boardId = found.data?.board_id;
  const board = useResource<Board>(boardId ? `board:${boardId}` : null, (signal) =>
    readBoard(boardId!, signal),
  );
  return (
    <Loaded of={found} rows={6}>
      {(data) => (
        <Loaded of={board} rows={6}>
          {(onto) => <Shown found={data} board={onto} onChange={(next) => putResource(key, () => next)} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface ShownProps {
  found: Import;
  board: Board;
  onChange(next: Import): void;
}

function Shown({ found, board, onChange }: ShownProps) {
  const { status, counts } = found;
  const again = withParameters({ import: null, board: board.board_id });
  const isOpen = status === 'ready' || status === 'failed';
  return (
    <>
      <p className="import-what">
        <strong>{found.name}</strong> <span className="muted">({SOURCES[found.source].label}), onto</span>{' '}
        <Link to={`/dashboard/boards/${board.board_id}`}>{board.name}</Link>
      </p>
      {status === 'reading' && <Reading found={found} />}
      {status === 'running' && <Running counts={counts} />}
      {status === 'done' && (
        <Note tone="good">
          {counts.made === 0
            ? 'No new rows. No cards were created. '
            : `${countOf(counts.made, 'card')} created. `}
          <Link to={`/dashboard/boards/${board.board_id}`}>Open {board.name}</Link> or{' '}
          <Link to={again}>import more</Link>
        </Note>
      )}
      {status !== 'reading' && (
        <>
          <Counts found={found} />
          <Losses lost={found.lost} />
        </>
      )}
      {isOpen && <Decision found={found} board={board} again={again} onChange={onChange} />}
      {status !== 'reading' && (
        <>
          {!isOpen && <People people={found.people} users={NOBODY} onChange={undefined} />}
          <Section title="Row by row">
            <ImportRows importId={found.import_id} live={status === 'running'} />
          </Section>
        </>
      )}
    </>
  );
}

const Reading = ({ found }: { found: Import }) => (
  <>
    <Note>Reading the file. You can leave this page.</Note>
    {found.error && <Note tone="warn">{found.error}</Note>}
  </>
);

function Running({ counts }: { counts: Import['counts'] }) {
  return (
    <div className="import-progress">
      <label>
        <span>
          {counts.made.toLocaleString('en')} of {countOf(counts.new, 'card')} made
        </span>
        <progress max={Math.max(1, counts.new)} value={counts.made} />
      </label>
      <p className="muted small">The import continues in the background. You can leave this page.</p>
    </div>
  );
}

function Counts({ found: { status, counts } }: { found: Import }) {
  const isDone = status === 'running' || status === 'done';
  const left = counts.new - counts.made;
  return (
    <dl className="import-counts">
      <div>
        <dt>{isDone ? 'Created' : 'To create'}</dt>
        <dd>{(isDone ? counts.made : left).toLocaleString('en')}</dd>
      </div>
      <div>
        <dt>Already imported</dt>
        <dd>{counts.known.toLocaleString('en')}</dd>
      </div>
      <div className={counts.unreadable > 0 ? 'import-bad' : undefined}>
        <dt>Cannot be read</dt>
        <dd>{counts.unreadable.toLocaleString('en')}</dd>
      </div>
    </dl>
  );
}

interface DecisionProps extends ShownProps {
  again: string;
}

function Decision({ found, board, again, onChange }: DecisionProps) {
  const { import_id, counts, states, status } = found;
  const [mapping, setMapping] = useState<Record<string, string>>({});
  const [users, setUsers] = useState<Record<string, string>>({});
  const start = useAction(async () => onChange(await startImport(import_id, mapping, users)));
  const remove = useAction(async () => {
    await deleteImport(import_id);
    navigate(again);
  });
  const left = counts.new - counts.made;
  const open = states.filter(({ name, to }) => to === null && !mapping[name]);
  const couldBeRead = status === 'ready' || left > 0;
  return (
    <>
      {status === 'failed' && <Note tone="warn">{found.error ?? 'The import stopped.'}</Note>}
      {left > 0 && <StateMapping states={states} board={board} mapping={mapping} onChange={setMapping} />}
      <People people={found.people} users={users} onChange={left > 0 ? setUsers : undefined} />
      {left === 0 && couldBeRead && <Note>All rows were imported before.</Note>}
      {start.fault && <ErrorNote fault={start.fault} />}
      {remove.fault && <ErrorNote fault={remove.fault} />}
      <div className="import-decision">
        {left > 0 && (
          <Button
            tone="primary"
            busy={start.busy}
            disabled={open.length > 0}
            onClick={() => void start.run()}
          >
            {status === 'failed' ? 'Continue with' : 'Import'} {countOf(left, 'card')}
          </Button>
        )}
        <Button busy={remove.busy} onClick={() => void remove.run()}>
          {left > 0 ? 'Cancel' : 'Choose another file'}
        </Button>
        {open.length > 0 && (
          <span className="muted">Choose a column for: {open.map(({ name }) => name).join(', ')}</span>
        )}
      </div>
    </>
  );
}
