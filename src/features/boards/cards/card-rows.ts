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
import type { CardRow } from './card-row.js';
import type { StandardCard, SummaryCard } from './cards.schemas.js';

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

/**
 * A row as the card that a level shows. The mapping is written out once, as the literal that one would write by hand: a
 * loop over the names takes six times as long, and every list of cards comes through here.
 */
function cardMaker<T>(level: DetailLevel): (row: CardRow) => T {
  const names = namesAt(level).filter((name) => fieldOf(name).kept !== 'body');
  const shows = names.map((name) => fieldOf(name).show);
  const properties = names.map((name, index) => {
    const kept = `row.${columnOf(name) ?? name}`;
    return `${name}: ${shows[index] ? `shows[${index}](${kept}, row)` : kept}`;
  });
  return new Function('shows', `return (row) => ({ ${properties.join(', ')} });`)(shows);
}

export const toSummaryCard = cardMaker<SummaryCard>('summary');
export const toStandardCard = cardMaker<StandardCard>('standard');
