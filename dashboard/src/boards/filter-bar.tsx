import { useEffect, useMemo, useRef, useState } from 'react';
import { PRIORITIES, STATUSES, type TileCard } from '../api/boards.js';
import { type Command, useCommands } from '../shell/commands.js';
import { navigate, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Avatar, sentence } from '../ui/display.js';
import { AgentsIcon, SearchIcon } from '../ui/icons.js';
import { Picker, type PickerOption } from '../ui/picker.js';
import { useSettled } from '../ui/settled.js';
import { type CardFilter, isFiltering, type ListName, NO_FILTER } from './card-filter.js';
import { PriorityMark } from './priority-mark.js';
import type { Directory } from './use-directory.js';

interface FilterBarProps {
  filter: CardFilter;
  cards: readonly TileCard[];
  directory: Directory;
}

const setList = (changes: Partial<Record<ListName, string[]>>): void =>
  navigate(
    withParameters(Object.fromEntries(Object.entries(changes).map(([name, ids]) => [name, ids.join(',')]))),
    { replace: true },
  );

const toggled = (list: readonly string[], id: string): string[] =>
  list.includes(id) ? list.filter((each) => each !== id) : [...list, id];

export function FilterBar({ filter, cards, directory }: FilterBarProps) {
  const labels = useMemo(() => [...new Set(cards.flatMap((card) => card.labels))].sort(), [cards]);
  const priorities = useMemo(
    () => [...new Set([...PRIORITIES, ...cards.map(({ priority }) => priority)])],
    [cards],
  );
  return (
    <search className="card-filter" aria-label="Filter">
      <WordsField q={filter.q} />
      <OwnerFilter filter={filter} directory={directory} />
      <ListFilter
        name="priority"
        label="Priority"
        chosen={filter.priority}
        options={priorities.map((id) => ({
          id,
          label: sentence(id),
          icon: <PriorityMark priority={id} always />,
        }))}
      />
      {(labels.length > 0 || filter.label.length > 0) && (
        <ListFilter
          name="label"
          label="Label"
          chosen={filter.label}
          options={labels.map((id) => ({ id, label: id }))}
        />
      )}
      <ListFilter
        name="status"
        label="Status"
        chosen={filter.status}
        options={STATUSES.map((id) => ({ id, label: sentence(id) }))}
      />
      {(filter.archived || cards.some(({ archived }) => archived)) && (
        <button
          type="button"
          className="chip"
          aria-pressed={filter.archived}
          onClick={() =>
            navigate(withParameters({ archived: filter.archived ? null : 'yes' }), { replace: true })
          }
        >
          Archived
        </button>
      )}
      {isFiltering(filter) && (
        <Button
          small
          tone="quiet"
          onClick={() => {
            navigate(withParameters(NO_FILTER), { replace: true });
            document.querySelector<HTMLElement>('.card-filter input')?.focus();
          }}
        >
          Clear
        </Button>
      )}
    </search>
  );
}

/** The address follows once somebody pauses; nothing is asked of the service for it. */
function WordsField({ q }: { q: string }) {
  const [text, setText] = useState(q);
  const settled = useSettled(text, 200);
  const field = useRef<HTMLInputElement>(null);
  const told = useRef(q);
  useEffect(() => {
    if (settled === told.current) return;
    told.current = settled;
    navigate(withParameters({ q: settled || null }), { replace: true });
  }, [settled]);
  // Cleared, or another address: by the button, a link or the way back.
  useEffect(() => {
    if (q === told.current) return;
    told.current = q;
    setText(q);
  }, [q]);
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'board-filter',
        label: 'Filter the cards',
        group: 'Board',
        keys: '/',
        words: 'search find',
        perform: () => field.current?.focus(),
      },
    ],
    [],
  );
  useCommands(commands);
  return (
    <label className="search-box">
      <SearchIcon size={15} />
      <span className="off-screen">Filter cards</span>
      <input
        ref={field}
        type="search"
        placeholder="Filter cards"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

interface ListFilterProps {
  name: ListName;
  label: string;
  chosen: string[];
  options: PickerOption[];
}

function ListFilter({ name, label, chosen, options }: ListFilterProps) {
  return (
    <Picker
      label={`Filter by ${label.toLowerCase()}`}
      className="chip"
      multiple
      options={options}
      chosen={chosen}
      onPick={(id) => setList({ [name]: toggled(chosen, id) })}
    >
      {wordsOf(
        label,
        chosen.map((id) => options.find((option) => option.id === id)?.label ?? id),
      )}
    </Picker>
  );
}

const wordsOf = (label: string, names: string[]): string =>
  names.length === 0 ? label : names.length === 1 ? `${label}: ${names[0]}` : `${label}: ${names.length}`;

const PERSON = 'person:';
const AGENT = 'agent:';

/** People and agents in one list: whoever does it. */
function OwnerFilter({ filter, directory }: { filter: CardFilter; directory: Directory }) {
  const { user } = useSession();
  const options: PickerOption[] = [
    { id: `${PERSON}me`, label: 'Me', icon: <Avatar name={user.full_name} size={18} /> },
    { id: `${PERSON}none`, label: 'Nobody' },
    ...directory.people
      .filter(({ user_id }) => user_id !== user.user_id)
      .map(({ user_id, name }) => ({
        id: `${PERSON}${user_id}`,
        label: name,
        icon: <Avatar name={name} size={18} />,
      })),
    ...directory.agents.map(({ agent_id, name }) => ({
      id: `${AGENT}${agent_id}`,
      label: name,
      hint: 'agent',
      icon: <AgentsIcon size={15} />,
    })),
  ];
  const chosen = [...filter.assignee.map((id) => PERSON + id), ...filter.agent.map((id) => AGENT + id)];
  const names = chosen.map((id) => options.find((option) => option.id === id)?.label ?? id.split(':')[1]!);
  return (
    <Picker
      label="Filter by assignee"
      className="chip"
      multiple
      options={options}
      chosen={chosen}
      onPick={(id) =>
        id.startsWith(AGENT)
          ? setList({ agent: toggled(filter.agent, id.slice(AGENT.length)) })
          : setList({ assignee: toggled(filter.assignee, id.slice(PERSON.length)) })
      }
    >
      {wordsOf('Assignee', names)}
    </Picker>
  );
}
