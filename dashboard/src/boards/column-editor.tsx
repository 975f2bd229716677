import { type ColumnPatch, STATUSES, type Status } from '../api/boards.js';
import { Button, IconButton } from '../ui/button.js';
import { sentence } from '../ui/display.js';
import { CloseIcon, PlusIcon } from '../ui/icons.js';

export interface ColumnDraft extends ColumnPatch {
  /** React key for columns without an id. */
  key: string;
}

interface EditorProps {
  columns: ColumnDraft[];
  onChange(columns: ColumnDraft[]): void;
}

let made = 0;
export const newColumn = (name = '', status: Status = 'pending'): ColumnDraft => ({
  key: `new-${++made}`,
  name,
  status,
});

export const sentColumns = (columns: ColumnDraft[]): ColumnPatch[] =>
  columns.map(({ key: _, name, ...rest }) => ({ ...rest, name: name.trim() }));

export function ColumnEditor({ columns, onChange }: EditorProps) {
  const edit = (at: number, changes: Partial<ColumnDraft>) =>
    onChange(columns.map((column, index) => (index === at ? { ...column, ...changes } : column)));
  const swap = (at: number, by: 1 | -1) => {
    const column = columns[at]!;
    onChange(columns.toSpliced(at, 1).toSpliced(at + by, 0, column));
    // The button moved with its column and is disabled at either end, which would lose the focus.
    requestAnimationFrame(() => focusIn(column.key, by === 1 ? 'down' : 'up'));
  };
  return (
    <fieldset className="column-editor">
      <legend>Columns, from left to right</legend>
      <ol>
        {columns.map((column, at) => {
          const name = column.name || `column ${at + 1}`;
          return (
            <li key={column.key} data-column-key={column.key}>
              <input
                className="input"
                aria-label={`Name of column ${at + 1}`}
                required
                maxLength={100}
                pattern="[^,]+"
                title="Without a comma"
                value={column.name}
                onChange={(event) => edit(at, { name: event.target.value })}
              />
              <select
                className="input select"
                aria-label={`Status of cards in ${name}`}
                value={column.status}
                onChange={(event) => edit(at, { status: event.target.value as Status })}
              >
                {STATUSES.map((status) => (
                  <option key={status} value={status}>
                    {sentence(status)}
                  </option>
                ))}
              </select>
              <IconButton
                label={`Move ${name} left`}
                data-way="up"
                disabled={at === 0}
                onClick={() => swap(at, -1)}
              >
                ↑
              </IconButton>
              <IconButton
                label={`Move ${name} right`}
                data-way="down"
                disabled={at === columns.length - 1}
                onClick={() => swap(at, 1)}
              >
                ↓
              </IconButton>
              <IconButton
                label={`Remove ${name}`}
                disabled={columns.length === 1}
                onClick={() => {
                  onChange(columns.toSpliced(at, 1));
                  const next = columns[at + 1] ?? columns[at - 1];
                  if (next) requestAnimationFrame(() => focusIn(next.key));
                }}
              >
                <CloseIcon size={15} />
              </IconButton>
            </li>
          );
        })}
      </ol>
      <Button
        small
        icon={<PlusIcon size={15} />}
        onClick={() => {
          const column = newColumn();
          onChange([...columns, column]);
          requestAnimationFrame(() => focusIn(column.key));
        }}
      >
        Add column
      </Button>
    </fieldset>
  );
}

function focusIn(key: string, way?: 'up' | 'down'): void {
  const row = document.querySelector(`[data-column-key="${CSS.escape(key)}"]`);
  const button = way && row?.querySelector<HTMLElement>(`[data-way="${way}"]:not(:disabled)`);
  (button || row?.querySelector<HTMLElement>('input'))?.focus();
}
