import type { Tables } from '../../../platform/database/database.js';
import {
  columnOf,
  type DetailLevel,
  FIELD_NAMES,
  type FieldName,
  fieldOf,
  isChangeable,
  namesAt,
} from './card-fields.js';
import type { StandardCard, SummaryCard } from './cards.schemas.js';
import type { CardRow } from './field-kinds.js';

const columnsOf = (names: readonly FieldName[]): string[] => names.flatMap((name) => columnOf(name) ?? []);

/** The columns of a card's row that a level shows. */
export const SUMMARY_COLUMNS = columnsOf(namesAt('summary'));
export const STANDARD_COLUMNS = columnsOf(namesAt('standard'));

/** Every write sets these by itself. */
const SET_BY_EVERY_WRITE = ['updated_at', 'version'];

/** What the service remembers of a card and shows nobody. */
export const HIDDEN_COLUMNS = [
  'guest_written',
  'status_of_build',
] as const satisfies (keyof Tables['cards'])[];

/** What a write may set on a card's row: what somebody may change, and what the service keeps up with it. */
export const WRITABLE_COLUMNS = [
  ...columnsOf(
    FIELD_NAMES.filter((name) => isChangeable(name) || fieldOf(name).changedBy === 'service'),
  ).filter((column) => !SET_BY_EVERY_WRITE.includes(column)),
  ...HIDDEN_COLUMNS,
];

/** A row as the card that a level shows. A copy of a card that has all names is filled faster than an empty one. */
function cardMaker<T>(level: DetailLevel): (row: CardRow) => T {
  const fields = namesAt(level)
    .filter((name) => fieldOf(name).kept !== 'body')
    .map((name) => ({ name, column: (columnOf(name) ?? name) as keyof CardRow, show: fieldOf(name).show }));
  const unfilled = Object.fromEntries(fields.map(({ name }) => [name, null]));
  return (row) => {
    const card: Record<string, unknown> = { ...unfilled };
    for (const { name, column, show } of fields)
      card[name] = show ? show(row[column] as never, row) : row[column];
    return card as T;
  };
}

export const toSummaryCard = cardMaker<SummaryCard>('summary');
export const toStandardCard = cardMaker<StandardCard>('standard');
