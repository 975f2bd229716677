import { sentence } from '../ui/display.js';
import type { FilterChip } from '../ui/filter-chips.js';
import { FILTERS, type FilterName, type Filters, OPEN_STATES } from './filters.js';

export function chipsOf(
  filters: Filters,
  names: { people: Named[]; agents: Named[]; boards: Named[] },
  change: (filters: Filters) => void,
): FilterChip[] {
  const byId = (list: Named[]) => (id: string) => list.find((each) => each.id === id)?.name ?? id;
  const people = byId(names.people);
  const agents = byId(names.agents);
  const plain = (id: string) => sentence(id).toLowerCase();
  const WORDS: Record<FilterName, [string, (id: string) => string]> = {
    status: ['Status', plain],
    assignee: ['With', (id) => (id === 'none' ? 'nobody' : id === 'me' ? 'me' : people(id))],
    agent: ['Agent', (id) => (id === 'any' || id === 'none' ? id : agents(id))],
    priority: ['Priority', plain],
    labels: ['Label', (id) => id],
    board_ids: ['Board', byId(names.boards)],
    due: ['Due', (id) => ({ overdue: 'overdue', today: 'by today', week: 'within a week' })[id] ?? id],
    q: ['Words', (id) => id],
  };
  return FILTERS.flatMap((name) => {
    const value = filters[name];
    if (!value) return [];
    const [label, wordsOf] = WORDS[name];
    const values = name === 'q' ? [value] : value.split(',');
    const told = name === 'status' && value === OPEN_STATES ? 'open' : values.map(wordsOf).join(', ');
    return [{ words: `${label}: ${told}`, clear: () => change({ ...filters, [name]: undefined }) }];
  });
}

interface Named {
  id: string;
  name: string;
}
