import { useMemo, useState } from 'react';
import { type Board, listBoards } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { useFeatures } from '../shell/areas.js';
import { type Command, useCommands } from '../shell/commands.js';
import { Link, navigate } from '../shell/router.js';
import { useIsGuest } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Badge, Time } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { BoardsIcon, PlusIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { rightsOf } from './board-rights.js';
import { NewBoardDialog } from './new-board-dialog.js';

const IMPORT = '/dashboard/boards/import';

export function BoardsPage() {
  const isGuest = useIsGuest();
  const boards = useResource('boards', listBoards);
  const crm = useFeatures()?.switches.crm.on !== false;
  const [making, setMaking] = useState(false);
  const commands = useMemo<Command[]>(
    () =>
      isGuest
        ? []
        : [
            {
              id: 'board-new',
              label: 'New board',
              group: 'Boards',
              keys: 'n',
              perform: () => setMaking(true),
            },
            {
              id: 'board-import',
              label: 'Import cards',
              group: 'Boards',
              perform: () => navigate(IMPORT),
            },
          ],
    [isGuest],
  );
  useCommands(commands);
  const newBoard = !isGuest && (
    <>
      <Link className="button" to={IMPORT}>
        Import
      </Link>
      <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setMaking(true)}>
        New board
      </Button>
    </>
  );
  return (
    <Page wide title="Boards" lead="Where the work of people and agents stands." actions={newBoard}>
      <Loaded of={boards}>
        {(data) => {
          const shown = data.boards.filter(({ board_type }) => crm || board_type !== 'crm');
          return shown.length === 0 ? (
            <Empty title="No boards yet" icon={<BoardsIcon size={28} />}>
              {isGuest
                ? 'You have no boards yet. Ask the person who invited you.'
                : 'A board holds cards in columns. People and agents pick their work from it. Create the first one.'}
            </Empty>
          ) : (
            <ul className="tiles">
              {shown.map((board) => (
                <li key={board.board_id}>
                  <BoardTile board={board} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {making && <NewBoardDialog crm={crm} onClose={() => setMaking(false)} />}
    </Page>
  );
}

function BoardTile({ board }: { board: Board }) {
  const { card_count: all, open_count: open, last_activity_at: last } = board;
  return (
    <Link to={`/dashboard/boards/${board.board_id}`} className="tile">
      <span className="tile-key">{board.key}</span>
      <strong className="tile-title">{board.name}</strong>
      {all !== undefined && open !== undefined && (
        <span className="board-count">
          {all === 0 ? (
            'No cards yet'
          ) : (
            <>
              <b>{open}</b> open <span className="muted">of {all}</span>
            </>
          )}
        </span>
      )}
      <span className="tile-foot">
        <Badge>{board.board_type}</Badge>
        {rightsOf(board).words && <Badge tone="info">{board.your_role}</Badge>}
        {last && (
          <span className="muted small">
            changed <Time at={last} />
          </span>
        )}
      </span>
    </Link>
  );
}
