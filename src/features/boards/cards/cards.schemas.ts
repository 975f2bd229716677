import { type Static, type TSchema, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { CardId, Changes, Page, perPage } from '../boards.schemas.js';
import {
  CARD_FIELDS,
  type ChangeableName,
  DETAIL_LEVELS,
  type DetailLevel,
  FIELD_NAMES,
  isChangeable,
  type NamesOf,
  namesAt,
} from './card-fields.js';
import { WithFields } from './chosen-fields.js';
import { columnAliases } from './field-kinds.js';
import { FIELD_MEANINGS } from './field-meanings.js';

type Fields = typeof CARD_FIELDS;

/** A card as the level shows it. */
const cardAt = <D extends DetailLevel>(level: D) =>
  Closed(
    Object.fromEntries(namesAt(level).map((name) => [name, CARD_FIELDS[name].shown])) as {
      [K in NamesOf[D]]: Fields[K]['shown'];
    },
  );

/** With the fields beside it that a caller asked for by name. */
export const SummaryCard = Named(
  'CardSummary',
  Type.Object(cardAt('summary').properties, {
    additionalProperties: Type.Unknown({ description: 'A field of Card that `with` names.' }),
  }),
);
export type SummaryCard = Static<typeof SummaryCard>;
export const StandardCard = Named('Card', cardAt('standard'));
export type StandardCard = Static<typeof StandardCard>;
export const FullCard = Named(
  'FullCard',
  Closed({
    ...cardAt('full').properties,
    from_guest: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Texts that a guest wrote. For coders only.',
      }),
    ),
  }),
);
export type FullCard = Static<typeof FullCard>;

const pageOf = <T extends TSchema>(card: T) =>
  Closed({
    items: Type.Array(card),
    total: Type.Integer({ minimum: 0 }),
    page: Type.Integer(),
    per_page: Type.Integer(),
    /** Only for whoever asks by `cursor`; null at the end. */
    next_cursor: Type.Optional(Nullable(Type.String())),
  });

export const CardList = Named(
  'CardList',
  Type.Union([pageOf(StandardCard), pageOf(SummaryCard), pageOf(FullCard)]),
);

export const Receipt = Named(
  'CardReceipt',
  Closed({
    task_id: Uuid,
    changed: Changes,
    from_column: Nullable(Type.String()),
    to_column: Nullable(Type.String()),
  }),
);
export type Receipt = Static<typeof Receipt>;

// --- what a caller sends ------------------------------------------------------------------------

/** What a person or an agent may set on a card. Absent keeps, null clears (or brings back the default), a value sets. */
const inputs = {
  ...(Object.fromEntries(
    FIELD_NAMES.filter(isChangeable).map((name) => [
      name,
      Described(FIELD_MEANINGS[name], CARD_FIELDS[name].input),
    ]),
  ) as { [K in ChangeableName]: Fields[K]['input'] }),
  ...columnAliases,
};

export const CardInput = Named(
  'CardInput',
  Closed({ ...inputs, title: Described(FIELD_MEANINGS.title, CARD_FIELDS.title.required) }),
);
export type CardInput = Static<typeof CardInput>;

export const CardPatch = Named(
  'CardPatch',
  Closed(
    {
      ...inputs,
      before: Type.Optional(
        Described('Right before this card of the column, by ref or id; instead of `position`.', CardId),
      ),
      after: Type.Optional(Described('Right after this card, by ref or id.', CardId)),
      return: Type.Optional(Type.Unknown({ description: 'Ignored: it is read from the query string.' })),
    },
    { description: 'Fields of a card: absent keeps, null clears, a value sets.' },
  ),
);
export type CardPatch = Omit<Static<typeof CardPatch>, 'return'>;

export const CardListQuery = Type.Object({
  detail: Type.Optional(
    OneOf(DETAIL_LEVELS, { description: 'How much of each card; `standard` unless said.' }),
  ),
  page: Page,
  per_page: perPage(50),
  with: WithFields,
  cursor: Type.Optional(
    Type.String({
      description: 'Instead of `page`: empty to begin, then the last `next_cursor`.',
    }),
  ),
});
export type CardListWish = Omit<Static<typeof CardListQuery>, 'detail'>;

export const ReturnQuery = Type.Object({
  return: Type.Optional(
    OneOf(['full', 'receipt'], { description: '`full` answers the card, `receipt` only what changed.' }),
  ),
});
