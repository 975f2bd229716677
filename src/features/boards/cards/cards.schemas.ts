import { type Static, type TSchema, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { splitList } from '../board/text.js';
import { unknownFields } from '../boards.errors.js';
import { CARD_WORDS, CardId, Changes, Page, perPage } from '../boards.schemas.js';
import {
  CARD_FIELDS,
  type ChangeableName,
  DETAIL_LEVELS,
  type DetailLevel,
  FIELD_MEANINGS,
  FIELD_NAMES,
  type FieldName,
  isChangeable,
  type NamesOf,
  namesAt,
} from './card-fields.js';
import { columnAliases } from './field-kinds.js';

const CHOICE: readonly string[] = namesAt('standard');

export const WithFields = Type.Optional(
  Described(
    'More fields of each card, such as `priority,labels`; any field of `detail=standard`.',
    Type.String(),
  ),
);

/** The requested fields that are not among `shown`, in the order of the card. */
export function readChosen(text: string | undefined, shown: readonly FieldName[]): FieldName[] {
  const wanted = splitList(text) ?? [];
  const unknown = wanted.filter((name) => !CHOICE.includes(name));
  if (unknown.length > 0) throw unknownFields(unknown, CHOICE);
  return namesAt('standard').filter((name) => wanted.includes(name) && !shown.includes(name));
}

type Fields = typeof CARD_FIELDS;

const cardAt = <D extends DetailLevel>(level: D) =>
  Closed(
    Object.fromEntries(namesAt(level).map((name) => [name, CARD_FIELDS[name].shown])) as {
      [K in NamesOf[D]]: Fields[K]['shown'];
    },
  );

export const SummaryCard = Named(
  'CardSummary',
  Type.Object(cardAt('summary').properties, {
    additionalProperties: Type.Unknown({ description: 'A field of Card named in `with`.' }),
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
        description: 'Names of the texts that a guest wrote. For coders only.',
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
    /** Only for requests with `cursor`; null on the last page. */
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
        Described(
          'Places the card before this card of its column, by ref or id. Instead of `position`.',
          CardId,
        ),
      ),
      after: Type.Optional(Described('Places the card after this card, by ref or id.', CardId)),
      return: Type.Optional(Type.Unknown({ description: 'Ignored. Send it in the query string.' })),
    },
    { description: 'Fields of a card: absent keeps, null clears, a value sets.' },
  ),
);
export type CardPatch = Omit<Static<typeof CardPatch>, 'return'>;

export const CardListQuery = Type.Object({
  detail: Type.Optional(OneOf(DETAIL_LEVELS, { description: 'Fields of each card. Default: `standard`.' })),
  page: Page,
  per_page: perPage(50),
  with: WithFields,
  cursor: Type.Optional(
    Type.String({
      description: 'Instead of `page`: empty for the first page, then `next_cursor`.',
    }),
  ),
});
export type CardListQuery = Omit<Static<typeof CardListQuery>, 'detail'>;

export const ReturnQuery = Type.Object({
  return: Type.Optional(
    OneOf(['full', 'receipt'], {
      description: '`full` returns the card, `receipt` only the changes. Default: `full`.',
    }),
  ),
});

export const MOST_AT_ONCE = 500;

const CardChange = Closed({
  task_id: Described(CARD_WORDS, CardId),
  set: CardPatch,
  seen: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Field values as you last saw them, in the form of a receipt. A field that has changed since keeps its value.',
    }),
  ),
});
export type CardChange = Static<typeof CardChange>;

export const CardBatch = Closed({
  tasks: Type.Array(CardChange, {
    minItems: 1,
    maxItems: MOST_AT_ONCE,
    description: 'Changes, at most one per card.',
  }),
});

export const CardOutcomes = Closed({
  results: Type.Array(
    Named(
      'CardOutcome',
      Closed({
        ...Receipt.properties,
        version: Nullable(Type.Integer()),
        kept: Type.Array(Type.String(), {
          description: 'Fields that kept their values because they have changed since `seen`.',
        }),
        refused: Nullable(Type.String()),
      }),
    ),
  ),
});
export type CardOutcome = Static<typeof CardOutcomes>['results'][number];
