import type { InboxFilter, InboxItem } from '../api/inbox.js';
import { listProjects } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { navigate, withParameters } from '../shell/router.js';
import { useIsGuest } from '../shell/session.js';
import { SelectField } from '../ui/field.js';
import { useDirectory } from '../work/use-directory.js';

const KINDS: Record<InboxItem['kind'], string> = {
  assigned: 'Assigned to me',
  mentioned: 'Mentions',
  commented: 'Comments',
  build_failed: 'Failed builds',
  review_asked: 'Reviews',
  build_stalled: 'Stalled builds',
  build_question: 'Questions of coders',
  budget_reached: 'Budgets',
  login_refused: 'Refused logins',
  push_failed: 'Failed pushes',
  pr_merged: 'Merged',
  pr_checks_failed: 'Failing checks',
  pr_changes_requested: 'Changes requested',
};

const UUID = /^[0-9a-f-]{36}$/;

/** Reads the filter from the URL and ignores invalid values. */
export function readInboxFilter(query: URLSearchParams): InboxFilter {
  const kind = query.get('kind');
  const idOf = (name: string) => UUID.exec(query.get(name) ?? '')?.[0];
  const person = Number(query.get('from'));
  return {
    ...(kind && kind in KINDS && { kind: kind as InboxItem['kind'] }),
    ...(query.get('unread') === 'yes' && { unread: true }),
    ...(idOf('board') && { board_id: idOf('board') }),
    ...(idOf('project') && { project_id: idOf('project') }),
    ...(Number.isInteger(person) && person > 0 && { user_id: person }),
  };
}

const set = (name: string) => (event: { target: { value: string } }) =>
  navigate(withParameters({ [name]: event.target.value || null }), { replace: true });

export function InboxFilterBar({ filter }: { filter: InboxFilter }) {
  const isGuest = useIsGuest();
  const { boards, people } = useDirectory();
  const projects = useResource(isGuest ? null : 'projects', listProjects, { freshMs: 60_000 });
  return (
    <search className="work-filters" aria-label="Filter">
      <SelectField label="Kind" value={filter.kind ?? ''} onChange={set('kind')}>
        <option value="">Any</option>
        {Object.entries(KINDS).map(([kind, words]) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
      </SelectField>
      <SelectField label="Show" value={filter.unread ? 'yes' : ''} onChange={set('unread')}>
        <option value="">All</option>
        <option value="yes">Unread</option>
      </SelectField>
      <SelectField label="Board" value={filter.board_id ?? ''} onChange={set('board')}>
        <option value="">All</option>
        {boards.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {!isGuest && (
        <SelectField label="Project" value={filter.project_id ?? ''} onChange={set('project')}>
          <option value="">All</option>
          {(projects.data?.projects ?? []).map(({ project_id, name }) => (
            <option key={project_id} value={project_id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField label="From" value={String(filter.user_id ?? '')} onChange={set('from')}>
        <option value="">Anyone</option>
        {people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </search>
  );
}
