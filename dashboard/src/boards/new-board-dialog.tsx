import { useMemo } from 'react';
import { useAction } from '../api/action.js';
import { type BoardType, createBoard, type Status } from '../api/boards.js';
import { refresh } from '../api/resource.js';
import { navigate } from '../shell/router.js';
import { FormDialog } from '../ui/dialog.js';
import { useDraft } from '../ui/draft.js';
import { SelectField, TextField } from '../ui/field.js';
import { type ColumnDraft, ColumnEditor, newColumn, sentColumns } from './column-editor.js';

const USUAL: [string, Status][] = [
  ['Backlog', 'pending'],
  ['In Progress', 'in_progress'],
  ['Review', 'in_review'],
  ['Blocked', 'blocked'],
  ['Done', 'done'],
];
const USUAL_CRM: [string, Status][] = [
  ['Lead', 'pending'],
  ['Talking', 'in_progress'],
  ['Offer', 'in_review'],
  ['Won', 'done'],
  ['Lost', 'canceled'],
];

interface BoardDraft {
  name: string;
  type: BoardType;
  /** Undefined until edited; until then the columns follow the board type. */
  columns?: ColumnDraft[];
}

export function NewBoardDialog({ crm, onClose }: { crm: boolean; onClose(): void }) {
  const draft = useDraft<BoardDraft>('new-board', { name: '', type: 'build' });
  const { name, type } = draft.value;
  const usual = useMemo(
    () => (type === 'crm' ? USUAL_CRM : USUAL).map(([title, status]) => newColumn(title, status)),
    [type],
  );
  const columns = draft.value.columns ?? usual;
  const action = useAction(async () => {
    const board = await createBoard({ name, board_type: type, columns: sentColumns(columns) });
    draft.clear();
    refresh('boards');
    navigate(`/dashboard/boards/${board.board_id}`);
  });
  return (
    <FormDialog
      title="New board"
      shape="wide"
      submit="Create board"
      dirty={draft.dirty}
      action={action}
      onSubmit={() => void action.run()}
      onClose={() => {
        draft.clear();
        onClose();
      }}
    >
      <div className="pair">
        <TextField
          label="Name"
          field="name"
          required
          maxLength={200}
          value={name}
          onChange={(event) => draft.set({ ...draft.value, name: event.target.value })}
        />
        <SelectField
          label="Kind"
          field="board_type"
          value={type}
          onChange={(event) => draft.set({ ...draft.value, type: event.target.value as BoardType })}
        >
          <option value="build">Build: agents work on it</option>
          <option value="general">General</option>
          {crm && <option value="crm">CRM</option>}
        </SelectField>
      </div>
      <ColumnEditor columns={columns} onChange={(next) => draft.set({ ...draft.value, columns: next })} />
    </FormDialog>
  );
}
