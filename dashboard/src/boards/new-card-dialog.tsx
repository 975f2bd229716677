import { useAction } from '../api/action.js';
import {
  type Board,
  type Column,
  createCard,
  deleteCard,
  PRIORITIES,
  TASK_TYPES,
  type TaskType,
} from '../api/boards.js';
import { FormDialog } from '../ui/dialog.js';
import { sentence } from '../ui/display.js';
import { useDraft } from '../ui/draft.js';
import { SelectField, TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';
import { putCard } from './card-state.js';
import { MarkdownField } from './markdown-field.js';
import { type BoardHandle, describe } from './use-board.js';

interface NewCardProps {
  board: Board;
  column: Column;
  handle: BoardHandle;
  onClose(): void;
  onMade(cardId: string): void;
}

interface CardDraft {
  title: string;
  columnId: string;
  taskType: TaskType;
  priority: string;
  instructions: string;
}

export function NewCardDialog({ board, column, handle, onClose, onMade }: NewCardProps) {
  const toast = useToast();
  const draft = useDraft<CardDraft>(`new-card:${board.board_id}`, {
    title: '',
    columnId: column.id,
    taskType: 'coding',
    priority: 'normal',
    instructions: '',
  });
  const { title, columnId, taskType, priority, instructions } = draft.value;
  const set = (changes: Partial<CardDraft>) => draft.set({ ...draft.value, ...changes });
  const takeBack = async (cardId: string, ref: string) => {
    try {
      await deleteCard(cardId);
      handle.change((all) => all.filter(({ id }) => id !== cardId));
      toast({ text: `${ref} is gone again` });
    } catch (error) {
      toast({ text: `Not undone: ${describe(error)}`, tone: 'error' });
    }
  };
  const isMember = board.your_role === 'admin' || board.your_role === 'member';
  const action = useAction(async () => {
    const card = await createCard(board.board_id, {
      title: title.trim(),
      // A column may have gone while the draft waited.
      column_id: board.columns.some(({ id }) => id === columnId) ? columnId : column.id,
      task_type: taskType,
      priority,
      ...(instructions && { instructions }),
    });
    draft.clear();
    handle.change((all) => putCard(all, card));
    const undo = { label: 'Undo', perform: () => void takeBack(card.id, card.ref) };
    toast({ text: `${card.ref} is on the board`, ...(isMember && { action: undo }) });
    onClose();
    onMade(card.id);
  });
  return (
    <FormDialog
      title="New card"
      shape="wide"
      submit="Make card"
      dirty={draft.dirty && (title !== '' || instructions !== '')}
      action={action}
      onSubmit={() => void action.run()}
      onClose={() => {
        draft.clear();
        onClose();
      }}
    >
      <TextField
        label="Title"
        required
        maxLength={500}
        value={title}
        onChange={(event) => set({ title: event.target.value })}
      />
      <div className="triple">
        <SelectField
          label="Column"
          value={columnId}
          onChange={(event) => set({ columnId: event.target.value })}
        >
          {board.columns.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Task type"
          value={taskType}
          onChange={(event) => set({ taskType: event.target.value as TaskType })}
        >
          {TASK_TYPES.map((type) => (
            <option key={type} value={type}>
              {sentence(type)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Priority"
          value={priority}
          onChange={(event) => set({ priority: event.target.value })}
        >
          {PRIORITIES.map((each) => (
            <option key={each} value={each}>
              {sentence(each)}
            </option>
          ))}
        </SelectField>
      </div>
      <MarkdownField
        label="Instructions"
        rows={7}
        value={instructions}
        onChange={(text) => set({ instructions: text })}
      />
    </FormDialog>
  );
}
