import type { FullCard, Person } from '../api/boards.js';
import { openBuildDialog } from '../shell/composer-state.js';
import { useSession } from '../shell/session.js';
import { Avatar } from '../ui/display.js';
import { AgentsIcon } from '../ui/icons.js';
import { Picker, type PickerOption } from '../ui/picker.js';
import type { Rights } from './board-rights.js';
import type { SetField } from './card-field-row.js';
import type { Directory } from './use-directory.js';

interface PeopleProps {
  card: FullCard;
  set: SetField;
  rights: Rights;
  directory: Directory;
}

const PERSON = 'person:';
const AGENT = 'agent:';

const personOption = ({ user_id, name }: Person, mine: number): PickerOption => ({
  id: `${PERSON}${user_id}`,
  label: name,
  icon: <Avatar name={name} size={18} />,
  ...(user_id === mine && { hint: 'you' }),
});

function withPresent<T, K extends keyof T>(offered: T[], present: T | null | undefined, key: K): T[] {
  if (!present || offered.some((each) => each[key] === present[key])) return offered;
  return [...offered, present];
}

/** Assigns a person, an agent or both; choosing an assigned entry again removes it. */
export function AssigneePicker({ card, set, rights, directory }: PeopleProps) {
  const { user } = useSession();
  const { assignee, assignee_agent_id: agentId } = card;
  const agent = agentId
    ? { agent_id: agentId, name: directory.agentNames.get(agentId) ?? agentId }
    : undefined;
  const shown = (
    <>
      {assignee && (
        <span className="owner">
          <Avatar name={assignee.name} size={20} /> {assignee.name}
        </span>
      )}
      {agent && (
        <span className="owner">
          <AgentsIcon size={15} /> {agent.name} <span className="muted small">agent</span>
        </span>
      )}
      {!assignee && !agentId && <span className="muted">Unassigned</span>}
    </>
  );
  if (!rights.edit) return shown;

  // Include the current assignee so that people who left can be unassigned.
  const people = withPresent(directory.people, assignee, 'user_id');
  const agents = withPresent(directory.agents, agent, 'agent_id');
  const options = [
    ...people.map((person) => personOption(person, user.user_id)),
    ...(rights.direct ? agents : []).map(({ agent_id, name }) => ({
      id: `${AGENT}${agent_id}`,
      label: name,
      hint: 'agent',
      icon: <AgentsIcon size={15} />,
    })),
  ];
  function pick(id: string) {
    if (id.startsWith(AGENT)) {
      const picked = id.slice(AGENT.length);
      const assignee_agent_id = picked === agentId ? null : picked;
      const name = options.find((option) => option.id === id)?.label ?? picked;
      return set(
        { assignee_agent_id },
        { assignee_agent_id },
        assignee_agent_id ? `given to ${name}` : `taken from ${name}`,
        assignee_agent_id ? { label: 'Build now', perform: () => openBuildDialog(card.id) } : undefined,
      );
    }
    const person = directory.people.find(({ user_id }) => `${PERSON}${user_id}` === id) ?? assignee;
    if (!person) return;
    const isTaken = person.user_id === assignee?.user_id;
    return set(
      { assignee: isTaken ? null : person.user_id },
      { assignee: isTaken ? null : { user_id: person.user_id, name: person.name } },
      isTaken ? `no longer ${person.name}'s` : `assigned to ${person.name}`,
    );
  }
  return (
    <Picker
      label="Assignee"
      options={options}
      chosen={[
        ...(assignee ? [`${PERSON}${assignee.user_id}`] : []),
        ...(agentId ? [`${AGENT}${agentId}`] : []),
      ]}
      onPick={pick}
    >
      {shown}
    </Picker>
  );
}

export function PersonList({ card, set, rights, directory }: PeopleProps) {
  const { user } = useSession();
  const { watchers } = card;
  const shown =
    watchers.length > 0 ? (
      watchers.map(({ user_id, name }) => (
        <span key={user_id} className="owner">
          <Avatar name={name} size={20} /> {name}
        </span>
      ))
    ) : (
      <span className="muted">No watchers</span>
    );
  if (!rights.edit) return shown;
  const known = new Map([...directory.people, ...watchers].map((person) => [person.user_id, person]));
  return (
    <Picker
      label="Watchers"
      multiple
      options={[...known.values()].map((person) => personOption(person, user.user_id))}
      chosen={watchers.map(({ user_id }) => `${PERSON}${user_id}`)}
      onPick={(id) => {
        const person = known.get(Number(id.slice(PERSON.length)));
        if (!person) return;
        const rest = watchers.filter(({ user_id }) => user_id !== person.user_id);
        const isIn = rest.length < watchers.length;
        const next = isIn ? rest : [...watchers, person];
        const ids = next.map(({ user_id }) => user_id);
        set(
          { watchers: ids },
          { watchers: next },
          isIn ? `${person.name} no longer watches` : `${person.name} watches`,
        );
      }}
    >
      {shown}
    </Picker>
  );
}
