import { type Board, STATUSES } from '../../api/boards.js';
import type { Import } from '../../api/imports.js';
import { countOf, plainWords } from '../../ui/display.js';
import { SelectField } from '../../ui/field.js';
import { Section } from '../../ui/page.js';

interface MappingProps {
  states: Import['states'];
  board: Board;
  mapping: Record<string, string>;
  onChange(mapping: Record<string, string>): void;
}

/** Where the cards of each state go: a column, or a status wherever that stands. */
export function StateMapping({ states, board, mapping, onChange }: MappingProps) {
  if (states.length === 0) return null;
  return (
    <Section title="What states mean here" lead="Cards go to the column you choose.">
      <div className="import-states">
        {states.map(({ name, cards, to }) => (
          <SelectField
            key={name}
            label={name}
            hint={countOf(cards, 'card')}
            error={
              to === null && !mapping[name] ? 'Nobody can tell what this means here: choose.' : undefined
            }
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

/** Who was found by their mail address, and who is only named. */
export function People({ people: { matched, unmatched } }: { people: Import['people'] }) {
  if (matched.length + unmatched.length === 0) return null;
  return (
    <Section title="People" lead="Found by their mail address.">
      {matched.length > 0 && (
        <p>
          <span className="muted">Here:</span> {matched.map(({ name }) => name).join(', ')}
        </p>
      )}
      {unmatched.length > 0 && (
        <p>
          <span className="muted">Nobody here, so named in the text of the card:</span> {unmatched.join(', ')}
        </p>
      )}
    </Section>
  );
}
