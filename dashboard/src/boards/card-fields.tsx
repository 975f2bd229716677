import { type Board, type FullCard, PRIORITIES, STATUSES, TASK_TYPES } from '../api/boards.js';
import { listProfiles } from '../api/coder-profiles.js';
import { listProjects } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { LabelMarks } from '../ui/card-marks.js';
import { sentence, Time } from '../ui/display.js';
import { Picker } from '../ui/picker.js';
import type { Rights } from './board-rights.js';
import { Row, type SetField } from './card-field-row.js';
import { CardLinks } from './card-links.js';
import { AssigneePicker, PersonList } from './card-people.js';
import { dayOf, endOfDay } from './due-words.js';
import type { BoardHandle } from './use-board.js';
import type { Directory } from './use-directory.js';

interface FieldsProps {
  card: FullCard;
  board: Board;
  handle: BoardHandle;
  rights: Rights;
  directory: Directory;
  onOpen(cardId: string): void;
}

const FRESH_MS = 60_000;

/** Each choice is saved separately and can be undone. */
export function CardFields({ card, board, handle, rights, directory, onOpen }: FieldsProps) {
  const set: SetField = (body, shown, words, offer) =>
    void handle.apply({ card, body, shown, done: `${card.ref}: ${words}`, offer });
  const parts = { card, board, set, rights, directory };
  return (
    <section className="card-fields" aria-label="Fields">
      <PlaceField {...parts} />
      <Row name="Assignee" field="assignee">
        <AssigneePicker {...parts} />
      </Row>
      <ChoiceField
        {...parts}
        name="Priority"
        value={card.priority}
        options={withPresent(PRIORITIES, card.priority).map((each) => [each, sentence(each)])}
        onPick={(priority) => set({ priority }, { priority }, `priority ${priority}`)}
      />
      <LabelsField {...parts} handle={handle} />
      <DueField {...parts} />
      <ChoiceField
        {...parts}
        name="Type"
        value={card.task_type}
        options={TASK_TYPES.map((each) => [each, sentence(each)])}
        onPick={(type) => {
          const task_type = type as FullCard['task_type'];
          set({ task_type }, { task_type }, `type ${type}`);
        }}
      />
      {rights.direct && <ProjectField {...parts} />}
      {rights.direct && <ProfileField {...parts} />}
      <CardLinks card={card} set={set} rights={rights} handle={handle} onOpen={onOpen} />
      <Row name="Watchers" field="watchers">
        <PersonList {...parts} />
      </Row>
    </section>
  );
}

const withPresent = (all: readonly string[], present: string): string[] =>
  all.includes(present) ? [...all] : [...all, present];

interface PartProps {
  card: FullCard;
  board: Board;
  set: SetField;
  rights: Rights;
}

interface ChoiceProps {
  name: string;
  value: string;
  options: [string, string][];
  rights: Rights;
  onPick(value: string): void;
}

function ChoiceField({ name, value, options, rights, onPick }: ChoiceProps) {
  const field = name.toLowerCase();
  if (!rights.edit)
    return (
      <Row name={name} field={field}>
        {options.find(([id]) => id === value)?.[1] ?? value}
      </Row>
    );
  return (
    <Row name={name} field={field}>
      <select
        className="input select"
        aria-label={name}
        value={value}
        onChange={(event) => onPick(event.target.value)}
      >
        {options.map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </Row>
  );
}

/** A column sets a status; statuses without a column are offered too. */
function PlaceField({ card, board, set, rights }: PartProps) {
  const others = STATUSES.filter((status) => !board.columns.some((column) => column.status === status));
  const column = board.columns.find(({ id }) => id === card.column.id);
  const value = column && column.status !== card.status ? card.status : card.column.id;
  return (
    <ChoiceField
      name="Column"
      value={value}
      rights={rights}
      options={[
        ...board.columns.map(({ id, name }): [string, string] => [id, name]),
        ...others.map((status): [string, string] => [status, `Status: ${sentence(status).toLowerCase()}`]),
      ]}
      onPick={(picked) => {
        const next = board.columns.find(({ id }) => id === picked);
        const status = STATUSES.find((each) => each === picked);
        if (next)
          set(
            { column_id: next.id },
            { column: { id: next.id, name: next.name }, status: next.status },
            `moved to ${next.name}`,
          );
        else if (status) set({ status }, { status }, `status ${sentence(status).toLowerCase()}`);
      }}
    />
  );
}

function LabelsField({ card, handle, set, rights }: PartProps & { handle: BoardHandle }) {
  const known = new Set([...card.labels, ...(handle.cards.data ?? []).flatMap(({ labels }) => labels)]);
  const shown =
    card.labels.length > 0 ? <LabelMarks labels={card.labels} /> : <span className="muted">None</span>;
  const put = (labels: string[], words: string) => set({ labels }, { labels }, words);
  const add = (label: string) => put([...card.labels, label], `label ${label} added`);
  const remove = (label: string) =>
    put(
      card.labels.filter((each) => each !== label),
      `label ${label} removed`,
    );
  if (!rights.edit)
    return (
      <Row name="Labels" field="labels">
        {shown}
      </Row>
    );
  return (
    <Row name="Labels" field="labels">
      <Picker
        label="Labels"
        multiple
        options={[...known].sort().map((id) => ({ id, label: id }))}
        chosen={card.labels}
        onPick={(label) => (card.labels.includes(label) ? remove(label) : add(label))}
        onAdd={add}
      >
        {card.labels.length > 0 ? shown : <span className="muted">Add labels</span>}
      </Picker>
    </Row>
  );
}

function DueField({ card, set, rights }: PartProps) {
  if (!rights.edit)
    return (
      <Row name="Due" field="due">
        {card.due_at ? <Time at={card.due_at} exact /> : <span className="muted">No date</span>}
      </Row>
    );
  return (
    <Row name="Due" field="due">
      <input
        type="date"
        className="input"
        aria-label="Due"
        value={card.due_at ? dayOf(card.due_at) : ''}
        onChange={(event) => {
          const day = event.target.value;
          const due_at = day ? endOfDay(day) : null;
          set({ due_at }, { due_at }, due_at ? `due ${day}` : 'no due date');
        }}
      />
    </Row>
  );
}

function ProjectField({ card, set, rights }: PartProps) {
  const projects = useResource('projects', listProjects, { freshMs: FRESH_MS });
  const all = projects.data?.projects ?? [];
  return (
    <ChoiceField
      name="Project"
      value={card.project_id ?? ''}
      rights={rights}
      options={[['', 'None'], ...all.map(({ project_id, name }): [string, string] => [project_id, name])]}
      onPick={(id) => {
        const name = all.find(({ project_id }) => project_id === id)?.name;
        set({ project_id: id || null }, { project_id: id || null }, name ? `project ${name}` : 'no project');
      }}
    />
  );
}

function ProfileField({ card, set, rights }: PartProps) {
  const profiles = useResource('coder-profiles', listProfiles, { freshMs: FRESH_MS });
  const value = card.agent_context.profile ?? '';
  const keys = withPresent(
    (profiles.data ?? []).map(({ key }) => key),
    value,
  ).filter(Boolean);
  return (
    <ChoiceField
      name="Profile"
      value={value}
      rights={rights}
      options={[['', 'By its type'], ...keys.map((key): [string, string] => [key, key])]}
      onPick={(profile) => {
        const agent_context = { ...card.agent_context, profile: profile || null };
        set({ agent_context }, { agent_context }, profile ? `profile ${profile}` : 'profile by its type');
      }}
    />
  );
}
