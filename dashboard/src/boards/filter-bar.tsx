import { useEffect, useMemo, useRef, useState } from 'react';
import { PRIORITIES, STATUSES, type TileCard } from '../api/boards.js';
import { type Command, useCommands } from '../shell/commands.js';
import { navigate, withParameters } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { PriorityMark } from '../ui/card-marks.js';
import { Avatar, sentence } from '../ui/display.js';
import type { FilterChip } from '../ui/filter-chips.js';
import { AgentsIcon, SearchIcon } from '../ui/icons.js';
import { Picker, type PickerOption } from '../ui/picker.js';
import { useSettled } from '../ui/settled.js';
import { type CardFilter, type ListName, NO_FILTER } from './card-filter.js';
import type { BoardView } from './layout.js';
import type { Directory } from './use-directory.js';

interface FilterBarProps {
  filter: CardFilter;
  cards: readonly TileCard[];
  directory: Directory;
  view: BoardView;
}

const setList = (changes: Partial<Record<ListName, string[]>>): void =>
  navigate(
    withParameters(Object.fromEntries(Object.entries(changes).map(([name, ids]) => [name, ids.join(',')]))),
    { replace: true },
  );

const toggled = (list: readonly string[], id: string): string[] =>
  list.includes(id) ? list.filter((each) => each !== id) : [...list, id];

export function FilterBar({ filter, cards, directory, view }: FilterBarProps) {
  const labels = useMemo(() => [...new Set(cards.flatMap((card) => card.labels))].sort(), [cards]);
  const priorities = useMemo(
    () => [...new Set([...PRIORITIES, ...cards.map(({ priority }) => priority)])],
    [cards],
  );
  return (
    <search className="card-filter" aria-label="Filter">
      <WordsField q={filter.q} />
      <OwnerFilter filter={filter} cards={cards} directory={directory} />
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
      <ViewSwitch view={view} />
    </search>
  );
}

export function clearFilter(): void {
  navigate(withParameters(NO_FILTER), { replace: true });
  document.querySelector<HTMLElement>('.card-filter input')?.focus();
}

export function chipsOf(filter: CardFilter, directory: Directory): FilterChip[] {
  const nameOf: Record<ListName, (id: string) => string> = {
    assignee: (id) =>
      id === 'me'
        ? 'me'
        : id === 'none'
          ? 'nobody'
          : (directory.people.find(({ user_id }) => String(user_id) === id)?.name ?? id),
    agent: (id) => directory.agents.find(({ agent_id }) => agent_id === id)?.name ?? id,
    label: (id) => id,
    priority: (id) => id,
    status: (id) => sentence(id).toLowerCase(),
  };
  const lists = (Object.keys(nameOf) as ListName[]).flatMap((name) =>
    filter[name].map((id) => ({
      words: `${sentence(name)}: ${nameOf[name](id)}`,
      clear: () => setList({ [name]: filter[name].filter((each) => each !== id) }),
    })),
  );
  const drop = (name: string) => () => navigate(withParameters({ [name]: null }), { replace: true });
  return [
    ...(filter.q ? [{ words: `Words: ${filter.q}`, clear: drop('q') }] : []),
    ...lists,
    ...(filter.archived ? [{ words: 'Archived', clear: drop('archived') }] : []),
  ];
}

const LANE_OPTIONS: PickerOption[] = [
  { id: 'none', label: 'No grouping' },
  { id: 'assignee', label: 'By assignee' },
  { id: 'parent', label: 'By parent' },
];

/** Swimlanes apply only to the column view. */
function ViewSwitch({ view }: { view: BoardView }) {
  const go = (changes: Record<string, string | null>) => navigate(withParameters(changes), { replace: true });
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'board-list',
        label: view.list ? 'Show the board in columns' : 'Show the board as a list',
        group: 'Board',
        keys: 't',
        words: 'view table sort',
        perform: () =>
          navigate(withParameters({ view: view.list ? null : 'list', sort: null }), { replace: true }),
      },
    ],
    [view.list],
  );
  useCommands(commands);
  const lanes = view.lanes ?? 'none';
  return (
    <span className="view-switch">
      {!view.list && (
        <Picker
          label="Lanes"
          className="chip"
          options={LANE_OPTIONS}
          chosen={view.lanes ? [view.lanes] : []}
          onPick={(id) => go({ lanes: id === 'none' ? null : id })}
        >
          {lanes === 'none' ? 'Lanes' : `Lanes: ${lanes}`}
        </Picker>
      )}
      <button
        type="button"
        className="chip"
        aria-pressed={view.list}
        onClick={() => go({ view: view.list ? null : 'list', sort: null })}
      >
        List
      </button>
    </span>
  );
}

/** Filters the loaded cards and updates the URL after a pause in typing; it sends no request. */
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
  // Sync the field when the filter is cleared or the URL changes.
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

/** Former members and agents stay in the filter while visible cards are assigned to them. */
function withOwners({ people, agents, agentNames }: Directory, cards: readonly TileCard[]) {
  const names = new Map(people.map(({ user_id, name }) => [user_id, name]));
  const ids = new Set(agents.map(({ agent_id }) => agent_id));
  for (const { assignee, assignee_agent_id } of cards) {
    if (assignee && !names.has(assignee.user_id)) names.set(assignee.user_id, assignee.name);
    if (assignee_agent_id) ids.add(assignee_agent_id);
  }
  return {
    people: [...names].map(([user_id, name]) => ({ user_id, name })),
    agents: [...ids].map((agent_id) => ({ agent_id, name: agentNames.get(agent_id) ?? agent_id })),
  };
}

function OwnerFilter({ filter, cards, directory }: Omit<FilterBarProps, 'view'>) {
  const { user } = useSession();
  const { people, agents } = useMemo(() => withOwners(directory, cards), [directory, cards]);
  const options: PickerOption[] = [
    { id: `${PERSON}me`, label: 'Me', icon: <Avatar name={user.full_name} size={18} /> },
    { id: `${PERSON}none`, label: 'Unassigned' },
    ...people
      .filter(({ user_id }) => user_id !== user.user_id)
      .map(({ user_id, name }) => ({
        id: `${PERSON}${user_id}`,
        label: name,
        icon: <Avatar name={name} size={18} />,
      })),
    ...agents.map(({ agent_id, name }) => ({
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
