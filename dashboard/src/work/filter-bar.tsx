import { useEffect, useRef, useState } from 'react';
import { STATUSES } from '../api/boards.js';
import { sentence } from '../ui/display.js';
import { SelectField } from '../ui/field.js';
import { SearchIcon } from '../ui/icons.js';
import { useSettled } from '../ui/settled.js';
import { type FilterName, type Filters, GROUPINGS, type Grouping, OPEN_STATES } from './filters.js';
import type { Directory } from './use-directory.js';

interface BarProps {
  filters: Filters;
  group: Grouping;
  directory: Directory;
  onChange(filters: Filters, group: Grouping): void;
}

const PRIORITIES = ['urgent', 'high', 'normal', 'low'];

export function FilterBar({ filters, group, directory, onChange }: BarProps) {
  const set = (name: FilterName) => (event: { target: { value: string } }) =>
    onChange({ ...filters, [name]: event.target.value || undefined }, group);
  const owner = filters.agent ? `agent:${filters.agent}` : (filters.assignee ?? '');
  const setOwner = (value: string) => {
    const agent = value.startsWith('agent:') ? value.slice('agent:'.length) : undefined;
    onChange({ ...filters, agent, assignee: agent ? undefined : value || undefined }, group);
  };
  return (
    <div className="work-filters">
      <WordField
        value={filters.q ?? ''}
        onSettled={(q) => onChange({ ...filters, q: q || undefined }, group)}
      />
      <SelectField label="Status" value={filters.status ?? ''} onChange={set('status')}>
        <option value="">Any</option>
        <option value={OPEN_STATES}>Open</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {sentence(status)}
          </option>
        ))}
      </SelectField>
      <SelectField label="With" value={owner} onChange={(event) => setOwner(event.target.value)}>
        <option value="">Anyone</option>
        <option value="me">Me</option>
        <option value="none">Unassigned</option>
        <option value="agent:any">Any agent</option>
        {directory.people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {directory.agents.map(({ id, name }) => (
          <option key={id} value={`agent:${id}`}>
            {name} (agent)
          </option>
        ))}
      </SelectField>
      <SelectField label="Board" value={filters.board_ids ?? ''} onChange={set('board_ids')}>
        <option value="">All</option>
        {directory.boards.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Priority" value={filters.priority ?? ''} onChange={set('priority')}>
        <option value="">Any</option>
        {PRIORITIES.map((priority) => (
          <option key={priority} value={priority}>
            {sentence(priority)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Due" value={filters.due ?? ''} onChange={set('due')}>
        <option value="">Any time</option>
        <option value="overdue">Overdue</option>
        <option value="today">By today</option>
        <option value="week">Within a week</option>
      </SelectField>
      <SelectField
        label="Group by"
        value={group}
        onChange={(event) => onChange(filters, event.target.value as Grouping)}
      >
        {GROUPINGS.map((each) => (
          <option key={each} value={each}>
            {each === 'none' ? 'Nothing' : sentence(each)}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

/** Searches after a pause in typing and follows external changes of the URL. */
function WordField({ value, onSettled }: { value: string; onSettled(words: string): void }) {
  const [typed, setTyped] = useState(value);
  const settled = useSettled(typed.trim());
  const told = useRef(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed asks anew
  useEffect(() => {
    if (settled === told.current) return;
    told.current = settled;
    onSettled(settled);
  }, [settled]);
  // Ignore the field's own update of the URL, which would overwrite newer typing.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setTyped(value);
  }, [value]);
  return (
    <label className="search-box">
      <SearchIcon size={15} />
      <span className="off-screen">Words or ref</span>
      <input
        type="search"
        placeholder="Words or ref"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  );
}
