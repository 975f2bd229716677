import { type Board, PRIORITIES, TASK_TYPES, type TaskType, type TileCard } from '../api/boards.js';
import { listProjects } from '../api/lessons.js';
import { peekResource, useResource } from '../api/resource.js';
import { useSession } from '../shell/session.js';
import { LabelMarks } from '../ui/card-marks.js';
import { sentence } from '../ui/display.js';
import { SelectField } from '../ui/field.js';
import { Picker } from '../ui/picker.js';
import { cardsKey } from './card-state.js';
import type { Directory } from './use-directory.js';

/** Unset fields are empty strings. */
export interface CardDraft {
  title: string;
  boardId: string;
  columnId: string;
  projectId: string;
  assignee: string;
  agentId: string;
  labels: string[];
  priority: string;
  taskType: TaskType;
  due: string;
  instructions: string;
}

interface ChoicesProps {
  board: Board;
  boards: Board[];
  value: CardDraft;
  direct: boolean;
  directory: Directory;
  set(changes: Partial<CardDraft>): void;
}

type Option = [value: string, label: string];

export function Choices({ board, boards, value, direct, directory, set }: ChoicesProps) {
  const { user } = useSession();
  const projects = useResource(direct ? 'projects' : null, listProjects, { freshMs: 60_000 });
  const people = directory.people.filter(({ user_id }) => user_id !== user.user_id);
  return (
    <div className="triple">
      <Choice
        label="Board"
        value={board.board_id}
        options={boards.map(({ board_id, name }) => [board_id, name])}
        onPick={(boardId) => set({ boardId, columnId: '' })}
      />
      <Choice
        label="Column"
        field="column_id"
        value={value.columnId || board.columns[0]?.id || ''}
        options={board.columns.map(({ id, name }) => [id, name])}
        onPick={(columnId) => set({ columnId })}
      />
      {direct && (
        <Choice
          label="Project"
          field="project_id"
          value={value.projectId}
          options={[
            ['', 'None'],
            ...(projects.data?.projects ?? []).map(({ project_id, name }): Option => [project_id, name]),
          ]}
          onPick={(projectId) => set({ projectId })}
        />
      )}
      <Choice
        label="Assignee"
        field="assignee"
        value={value.assignee}
        options={[
          ['', 'Unassigned'],
          [String(user.user_id), `${user.full_name} (you)`],
          ...people.map(({ user_id, name }): Option => [String(user_id), name]),
        ]}
        onPick={(assignee) => set({ assignee })}
      />
      {direct && (
        <Choice
          label="Agent"
          field="assignee_agent_id"
          value={value.agentId}
          options={[['', 'None'], ...directory.agents.map(({ agent_id, name }): Option => [agent_id, name])]}
          onPick={(agentId) => set({ agentId })}
        />
      )}
      <Choice
        label="Priority"
        field="priority"
        value={value.priority}
        options={PRIORITIES.map((each) => [each, sentence(each)])}
        onPick={(priority) => set({ priority })}
      />
      <Choice
        label="Task type"
        field="task_type"
        value={value.taskType}
        options={TASK_TYPES.map((each) => [each, sentence(each)])}
        onPick={(taskType) => set({ taskType: taskType as TaskType })}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  field?: string;
  value: string;
  options: Option[];
  onPick(value: string): void;
}

/** A value that is no longer offered falls back to the first option. */
function Choice({ label, field, value, options, onPick }: ChoiceProps) {
  return (
    <SelectField label={label} field={field} value={value} onChange={(event) => onPick(event.target.value)}>
      {options.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

interface LabelsProps {
  board: Board;
  value: string[];
  onChange(labels: string[]): void;
}

/** Offers the labels of the board's loaded cards and accepts new ones. */
export function LabelsField({ board, value, onChange }: LabelsProps) {
  const cards = peekResource<TileCard[]>(cardsKey(board.board_id)) ?? [];
  const known = new Set([...value, ...cards.flatMap(({ labels }) => labels)]);
  return (
    <div className="field">
      <span className="field-name">Labels</span>
      <Picker
        label="Labels"
        multiple
        options={[...known].sort().map((id) => ({ id, label: id }))}
        chosen={value}
        onPick={(label) =>
          onChange(value.includes(label) ? value.filter((each) => each !== label) : [...value, label])
        }
        onAdd={(label) => onChange([...value, label])}
      >
        {value.length > 0 ? <LabelMarks labels={value} /> : <span className="muted">Add labels</span>}
      </Picker>
    </div>
  );
}
