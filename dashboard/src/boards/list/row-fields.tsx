import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type Column, PRIORITIES, STATUSES, type Status } from '../../api/boards.js';
import { PriorityMark } from '../../ui/card-marks.js';
import { Avatar, formatDay, sentence } from '../../ui/display.js';
import { AgentsIcon } from '../../ui/icons.js';
import { DuePicker } from '../due-picker.js';
import { OwnerPicker } from '../owner-picker.js';
import { columnUpdate, fieldUpdate, statusUpdate } from '../selection/card-updates.js';
import type { CardUpdate, ListedCard } from '../selection/listed-card.js';
import type { Directory } from '../use-directory.js';

/** Changes one card; `words` describes the change in the notification. */
export type SetUpdate = (
  card: ListedCard,
  updateOf: (card: ListedCard) => CardUpdate | undefined,
  words: string,
) => void;

interface FieldProps {
  card: ListedCard;
  edit: boolean;
  set: SetUpdate;
}

/** Offers columns where they are known and statuses otherwise; statuses without a column are offered too. */
export function StatusField({ card, edit, set, columns }: FieldProps & { columns?: readonly Column[] }) {
  const here = columns?.find(({ id }) => id === card.column.id);
  const isByColumn = here?.status === card.status;
  const shown = isByColumn ? here.name : sentence(card.status);
  const dot = <span className={`dot dot-${card.status}`} />;
  if (!edit)
    return (
      <span className="cell-text">
        {dot} {shown}
      </span>
    );
  const others = columns
    ? STATUSES.filter((status) => !columns.some((column) => column.status === status))
    : STATUSES;
  return (
    <span className="cell-select">
      {dot}
      <select
        data-field="status"
        aria-label={`Status of ${card.ref}`}
        value={isByColumn ? here.id : card.status}
        onChange={({ target: { value } }) => {
          const column = columns?.find(({ id }) => id === value);
          if (column) set(card, (each) => columnUpdate(each, column), `moved to ${column.name}`);
          else
            set(
              card,
              (each) => statusUpdate(each, value as Status, columns),
              `status ${sentence(value).toLowerCase()}`,
            );
        }}
      >
        {columns?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {others.map((status) => (
          <option key={status} value={status}>
            {sentence(status)}
          </option>
        ))}
      </select>
    </span>
  );
}

export function PriorityField({ card, edit, set }: FieldProps) {
  const mark = <PriorityMark priority={card.priority} always />;
  if (!edit) return <span className="cell-text">{mark}</span>;
  const options = PRIORITIES.some((each) => each === card.priority)
    ? PRIORITIES
    : [...PRIORITIES, card.priority];
  return (
    <span className="cell-select">
      {mark}
      <select
        data-field="priority"
        aria-label={`Priority of ${card.ref}`}
        value={card.priority}
        onChange={({ target: { value } }) =>
          set(card, (each) => fieldUpdate(each, 'priority', value), `priority ${value}`)
        }
      >
        {options.map((each) => (
          <option key={each} value={each}>
            {sentence(each)}
          </option>
        ))}
      </select>
    </span>
  );
}

interface OwnerProps extends FieldProps {
  directory: Directory;
  agents: boolean;
}

export function OwnerField({ card, edit, set, directory, agents }: OwnerProps) {
  const { assignee, assignee_agent_id: agentId } = card;
  const agent = agentId && (directory.agents.find(({ agent_id }) => agent_id === agentId)?.name ?? agentId);
  const shown = (
    <>
      {assignee && <Avatar name={assignee.name} size={20} />}
      {agent && <AgentsIcon size={15} />}
      <span className="cell-name">{[assignee?.name, agent].filter(Boolean).join(', ') || 'Unassigned'}</span>
    </>
  );
  if (!edit) return <span className="cell-text">{shown}</span>;
  return (
    <span data-field="assignee" className={assignee || agent ? undefined : 'cell-empty'}>
      <OwnerPicker
        label={`Assignee of ${card.ref}`}
        className="cell-button"
        card={card}
        directory={directory}
        agents={agents}
        onPick={({ updateOf, words }) => set(card, updateOf, words)}
      >
        {shown}
      </OwnerPicker>
    </span>
  );
}

export function DueField({ card, edit, set }: FieldProps) {
  const open = card.status !== 'done' && card.status !== 'canceled';
  const late = open && card.due_at !== null && new Date(card.due_at).getTime() < Date.now();
  const shown = card.due_at ? (
    <span className={late ? 'late' : undefined}>{formatDay(card.due_at)}</span>
  ) : (
    'No date'
  );
  if (!edit) return <span className="cell-text">{card.due_at && shown}</span>;
  return (
    <span data-field="due" className={card.due_at ? undefined : 'cell-empty'}>
      <DuePicker
        label={`Due date of ${card.ref}`}
        className="cell-button"
        onPick={(dueAt, words) => set(card, (each) => fieldUpdate(each, 'due_at', dueAt), words)}
      >
        {shown}
      </DuePicker>
    </span>
  );
}

interface TitleProps {
  card: ListedCard;
  /** Null cancels the edit. */
  onDone(title: string | null): void;
}

const LONGEST = 500;

/** Edits a title in place: Enter saves, Escape cancels. */
export function TitleInput({ card, onDone }: TitleProps) {
  const [text, setText] = useState(card.title);
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  function end(title: string | null) {
    if (done.current) return;
    done.current = true;
    const words = title?.trim();
    onDone(words && words !== card.title ? words : null);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    end(event.key === 'Enter' ? text : null);
  }
  return (
    <input
      ref={field}
      className="input title-input"
      aria-label={`Title of ${card.ref}`}
      maxLength={LONGEST}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => end(text)}
    />
  );
}
