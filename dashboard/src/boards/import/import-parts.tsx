import { type Board, STATUSES } from '../../api/boards.js';
import type { Import } from '../../api/imports.js';
import { useResource } from '../../api/resource.js';
import { listMembers } from '../../api/workspace.js';
import { useSession } from '../../shell/session.js';
import { countOf, plainWords } from '../../ui/display.js';
import { Loaded } from '../../ui/feedback.js';
import { SelectField } from '../../ui/field.js';
import { Section } from '../../ui/page.js';

interface MappingProps {
  states: Import['states'];
  board: Board;
  mapping: Record<string, string>;
  onChange(mapping: Record<string, string>): void;
}

/** Maps each state of the source to a column, or to a status for cards on any board. */
export function StateMapping({ states, board, mapping, onChange }: MappingProps) {
  if (states.length === 0) return null;
  return (
    <Section title="Map states to columns" lead="Cards go to the column you choose.">
      <div className="import-states">
        {states.map(({ name, cards, to }) => (
          <SelectField
            key={name}
            label={name}
            hint={countOf(cards, 'card')}
            error={to === null && !mapping[name] ? 'Unknown state. Choose a column.' : undefined}
            value={mapping[name] ?? to ?? ''}
            onChange={(event) => onChange({ ...mapping, [name]: event.target.value })}
          >
            {to === null && <option value="">Choose one</option>}
            <optgroup label="Columns">
              {board.columns.map((column) => (
                <option key={column.id} value={column.name}>
                  {column.name}
                </option>
              ))}
            </optgroup>
            <optgroup label="Statuses">
              {STATUSES.map((status) => (
                <option key={status} value={status}>
                  {plainWords(status)}
                </option>
              ))}
            </optgroup>
          </SelectField>
        ))}
      </div>
    </Section>
  );
}

interface PeopleProps {
  people: Import['people'];
  users: Record<string, string>;
  /** Undefined once the import has started. */
  onChange: ((users: Record<string, string>) => void) | undefined;
}

const MOST_CHOICES = 50;

export function People({ people: { matched, unmatched }, users, onChange }: PeopleProps) {
  if (matched.length + unmatched.length === 0) return null;
  return (
    <Section title="People" lead="Matched by email address. Other people are named in the card’s text.">
      {matched.length > 0 && (
        <p>
          <span className="muted">Here:</span> {matched.map(({ name }) => name).join(', ')}
        </p>
      )}
      {unmatched.length > 0 &&
        (onChange ? (
          <UserMapping logins={unmatched.slice(0, MOST_CHOICES)} users={users} onChange={onChange} />
        ) : (
          <p>
            <span className="muted">Not found:</span> {unmatched.join(', ')}
          </p>
        ))}
    </Section>
  );
}

interface UserMappingProps {
  logins: string[];
  users: Record<string, string>;
  onChange(users: Record<string, string>): void;
}

function UserMapping({ logins, users, onChange }: UserMappingProps) {
  const { brand } = useSession();
  const members = useResource(`members:${brand.brand_id}`, (signal) => listMembers(brand.brand_id, signal));
  const choose = (login: string, email: string) => {
    const { [login]: _, ...others } = users;
    onChange(email === '' ? others : { ...others, [login]: email });
  };
  return (
    <Loaded of={members} rows={2}>
      {(data) => (
        <div className="import-states">
          {logins.map((login) => (
            <SelectField
              key={login}
              label={login}
              value={users[login] ?? ''}
              onChange={(event) => choose(login, event.target.value)}
            >
              <option value="">Not in this workspace</option>
              {data.members.map(({ user_id, full_name, email }) => (
                <option key={user_id} value={email}>
                  {full_name}
                </option>
              ))}
            </SelectField>
          ))}
        </div>
      )}
    </Loaded>
  );
}

export function Losses({ lost }: Pick<Import, 'lost'>) {
  if (lost.length === 0) return null;
  return (
    <Section title="Not imported" lead="Content that cards cannot hold or the source does not contain.">
      <ul className="plain-list">
        {lost.map(({ what, cards }) => (
          <li key={what}>
            {what} <span className="muted">({countOf(cards, 'card')})</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
