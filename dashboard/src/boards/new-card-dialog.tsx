import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type Board, type Column, createCard, TASK_TYPES, type TaskType } from '../api/boards.js';
import { FormDialog } from '../ui/dialog.js';
import { sentence } from '../ui/display.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';
import { putCard } from './card-state.js';
import type { BoardHandle } from './use-board.js';

interface NewCardProps {
  board: Board;
  column: Column;
  handle: BoardHandle;
  onClose(): void;
}

export function NewCardDialog({ board, column, handle, onClose }: NewCardProps) {
  const toast = useToast();
  const [title, setTitle] = useState('');
  const [columnId, setColumnId] = useState(column.id);
  const [taskType, setTaskType] = useState<TaskType>('coding');
  const [instructions, setInstructions] = useState('');
  const action = useAction(async () => {
    const card = await createCard(board.board_id, {
      title,
      column_id: columnId,
      task_type: taskType,
      ...(instructions && { instructions }),
    });
    handle.change((all) => putCard(all, card));
    toast({ text: `${card.ref} is on the board` });
    onClose();
  });
  return (
    <FormDialog
      title="New card"
      submit="Make card"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Title"
        required
        maxLength={500}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <div className="pair">
        <SelectField label="Column" value={columnId} onChange={(event) => setColumnId(event.target.value)}>
          {board.columns.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Task type"
          value={taskType}
          onChange={(event) => setTaskType(event.target.value as TaskType)}
        >
          {TASK_TYPES.map((type) => (
            <option key={type} value={type}>
              {sentence(type)}
            </option>
          ))}
        </SelectField>
      </div>
      <TextArea
        label="Instructions"
        rows={6}
        value={instructions}
        onChange={(event) => setInstructions(event.target.value)}
      />
    </FormDialog>
  );
}
