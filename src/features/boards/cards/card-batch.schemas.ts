import { type Static, Type } from 'typebox';
import { Closed, Described, Named, Nullable } from '../../../platform/http/declaration/schemas.js';
import { CARD_WORDS, CardId } from '../boards.schemas.js';
import { CardPatch, Receipt } from './cards.schemas.js';

export const MOST_AT_ONCE = 500;

const CardChange = Closed({
  task_id: Described(CARD_WORDS, CardId),
  set: CardPatch,
  seen: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Fields as a receipt shows them: one that has changed since keeps its value.',
    }),
  ),
});
export type CardChange = Static<typeof CardChange>;

export const CardBatch = Closed({
  tasks: Type.Array(CardChange, {
    minItems: 1,
    maxItems: MOST_AT_ONCE,
    description: 'Each card once.',
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
          description: 'Fields that have changed since they were `seen`.',
        }),
        refused: Nullable(Type.String()),
      }),
    ),
  ),
});
export type CardOutcome = Static<typeof CardOutcomes>['results'][number];
