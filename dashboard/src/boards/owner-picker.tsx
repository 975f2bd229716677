import type { ReactNode } from 'react';
import { useSession } from '../shell/session.js';
import { Avatar } from '../ui/display.js';
import { AgentsIcon } from '../ui/icons.js';
import { Picker, type PickerOption } from '../ui/picker.js';
import { agentUpdate, personUpdate, unassignUpdate } from './selection/card-updates.js';
import type { CardUpdate, ListedCard } from './selection/listed-card.js';
import type { Directory } from './use-directory.js';

const PERSON = 'person:';
const AGENT = 'agent:';
const NOBODY = 'nobody';

export interface OwnerChoice {
  updateOf(card: ListedCard): CardUpdate | undefined;
  words: string;
}

interface OwnerProps {
  label: string;
  directory: Directory;
  /** Whether the user may assign agents; guests may not. */
  agents: boolean;
  /** The card to assign; undefined for several cards. */
  card?: ListedCard;
  className?: string;
  onPick(choice: OwnerChoice): void;
  children: ReactNode;
}

export function OwnerPicker({ label, directory, agents, card, className, onPick, children }: OwnerProps) {
  const { user } = useSession();
  const options: PickerOption[] = [
    { id: NOBODY, label: 'Unassigned' },
    ...directory.people.map(({ user_id, name }) => ({
      id: `${PERSON}${user_id}`,
      label: name,
      icon: <Avatar name={name} size={18} />,
      ...(user_id === user.user_id && { hint: 'you' }),
    })),
    ...(agents ? directory.agents : []).map(({ agent_id, name }) => ({
      id: `${AGENT}${agent_id}`,
      label: name,
      hint: 'agent',
      icon: <AgentsIcon size={15} />,
    })),
  ];
  function pick(id: string) {
    const name = options.find((option) => option.id === id)?.label ?? id;
    if (id === NOBODY)
      return onPick({
        updateOf: agents ? unassignUpdate : (each) => personUpdate(each, null),
        words: 'with nobody',
      });
    if (id.startsWith(AGENT)) {
      const agentId = id.slice(AGENT.length);
      return onPick({ updateOf: (each) => agentUpdate(each, agentId), words: `given to ${name}` });
    }
    const person = { user_id: Number(id.slice(PERSON.length)), name };
    return onPick({ updateOf: (each) => personUpdate(each, person), words: `assigned to ${name}` });
  }
  return (
    <Picker
      label={label}
      className={className}
      options={options}
      chosen={card ? ownersOf(card) : []}
      onPick={pick}
    >
      {children}
    </Picker>
  );
}

function ownersOf({ assignee, assignee_agent_id: agent }: ListedCard): string[] {
  const owners = [
    ...(assignee ? [`${PERSON}${assignee.user_id}`] : []),
    ...(agent ? [`${AGENT}${agent}`] : []),
  ];
  return owners.length > 0 ? owners : [NOBODY];
}
