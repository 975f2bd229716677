import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type Board, changeColumns, deleteBoard, renameBoard } from '../api/boards.js';
import { putResource, refresh } from '../api/resource.js';
import { navigate } from '../shell/router.js';
import { FormDialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';
import { type ColumnDraft, ColumnEditor, sentColumns } from './column-editor.js';
import { describe } from './use-board.js';

interface DialogProps {
  board: Board;
  onClose(): void;
}

/** Saves all changes in one request. The service rejects removing a column that still holds cards. */
export function BoardSettingsDialog({ board, onClose }: DialogProps) {
  const [before] = useState(board);
  const [name, setName] = useState(board.name);
  const [columns, setColumns] = useState<ColumnDraft[]>(
    board.columns.map((column) => ({ ...column, key: column.id })),
  );
  const toast = useToast();
  const isRenamed = name.trim() !== before.name;
  const isArranged = JSON.stringify(sentColumns(columns)) !== JSON.stringify(before.columns);

  const show = (changed: Board) => {
    putResource<Board>(`board:${board.board_id}`, () => changed);
    refresh('boards');
    refresh(`cards:${board.board_id}`);
  };
  const undo = async () => {
    try {
      if (isRenamed) show(await renameBoard(board.board_id, before.name));
      if (isArranged) show(await changeColumns(board.board_id, before.columns));
      toast({ text: 'The board was not changed' });
    } catch (error) {
      toast({ text: `Not undone: ${describe(error)}`, tone: 'error' });
    }
  };
  const action = useAction(async () => {
    if (isArranged) show(await changeColumns(board.board_id, sentColumns(columns)));
    if (isRenamed) show(await renameBoard(board.board_id, name.trim()));
    if (isRenamed || isArranged)
      toast({ text: 'Board saved', action: { label: 'Undo', perform: () => void undo() } });
    onClose();
  });

  return (
    <FormDialog
      title="Name and columns"
      shape="wide"
      submit="Save board"
      dirty={isRenamed || isArranged}
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        field="name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ColumnEditor columns={columns} onChange={setColumns} />
      <p className="muted small">
        Cards follow their column to its status. A column can be removed once it holds no cards.
      </p>
    </FormDialog>
  );
}

export function DeleteBoardDialog({ board, onClose }: DialogProps) {
  const [typed, setTyped] = useState('');
  const toast = useToast();
  const action = useAction(async () => {
    await deleteBoard(board.board_id);
    refresh('boards');
    toast({ text: `${board.name} is deleted` });
    navigate('/dashboard/boards', { replace: true });
  });
  return (
    <FormDialog
      title={`Delete ${board.name}?`}
      submit="Delete board"
      tone="danger"
      guard="none"
      disabled={typed.trim() !== board.name}
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <p>
        Its cards, comments and activity go with it. This cannot be undone, and the key <b>{board.key}</b> is
        never reused.
      </p>
      <TextField
        label={`Type “${board.name}” to confirm`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  );
}
