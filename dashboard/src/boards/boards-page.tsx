import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type BoardType, createBoard, listBoards } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { Link, navigate } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge, Time } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { SelectField, TextField } from '../ui/field.js';
import { BoardsIcon, PlusIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';

export function BoardsPage() {
  const { role } = useSession();
  const boards = useResource('boards', listBoards);
  const [making, setMaking] = useState(false);
  const newBoard = role !== 'guest' && (
    <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setMaking(true)}>
      New board
    </Button>
  );
  return (
    <Page title="Boards" lead="Where the work of people and agents stands." actions={newBoard}>
      <Loaded of={boards}>
        {(data) =>
          data.boards.length === 0 ? (
            <Empty title="No boards yet" icon={<BoardsIcon size={28} />}>
              {role === 'guest'
                ? 'Nobody has opened a board to you.'
                : 'A board holds cards in columns; agents pick their work from it.'}
            </Empty>
          ) : (
            <ul className="tiles">
              {data.boards.map((board) => (
                <li key={board.board_id}>
                  <Link to={`/dashboard/boards/${board.board_id}`} className="tile">
                    <span className="tile-key">{board.key}</span>
                    <strong className="tile-title">{board.name}</strong>
                    <span className="tile-foot">
                      <Badge>{board.board_type}</Badge>
                      <span className="muted small">
                        {board.columns.length} columns, made <Time at={board.created_at} />
                      </span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {making && <NewBoardDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function NewBoardDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState<BoardType>('build');
  const action = useAction(async () => {
    const board = await createBoard({ name, board_type: type });
    navigate(`/dashboard/boards/${board.board_id}`);
  });
  return (
    <FormDialog
      title="New board"
      submit="Make board"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label="Kind"
        hint="A build board is worked on by coding agents."
        value={type}
        onChange={(event) => setType(event.target.value as BoardType)}
      >
        <option value="build">Build</option>
        <option value="general">General</option>
        <option value="crm">CRM</option>
      </SelectField>
    </FormDialog>
  );
}
