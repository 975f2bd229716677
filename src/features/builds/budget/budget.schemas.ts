import { type Static, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
} from '../../../platform/http/declaration/schemas.js';

const MOST_USD = 1_000_000_000;
const Count = Type.Integer({ minimum: 0 });

const Amount = (description: string) =>
  Nullable(Type.Number({ minimum: 0, maximum: MOST_USD }), { description });

const perPeriod = {
  day_usd: Amount('What may be spent a day; null: no bound.'),
  month_usd: Amount('What may be spent a month; null: no bound.'),
};

export const WorkspaceBudget = Named(
  'WorkspaceBudget',
  Closed({
    build_usd: Amount('What one build may spend, at most.'),
    card_usd: Amount('What all builds of a card may spend.'),
    ...perPeriod,
  }),
);
export type WorkspaceBudget = Static<typeof WorkspaceBudget>;

export const WorkspaceBudgetInput = Type.Partial(WorkspaceBudget, { additionalProperties: false });

/** What is left out stays. */
export const BudgetInput = Named(
  'BudgetInput',
  Type.Partial(Closed(perPeriod), { additionalProperties: false }),
);
export type BudgetInput = Static<typeof BudgetInput>;

const Usd = Type.Number();

/** With what was spent of it. */
export const BudgetView = Named(
  'Budget',
  Closed({
    day_usd: Nullable(Usd),
    month_usd: Nullable(Usd),
    day_spent_usd: Usd,
    month_spent_usd: Usd,
  }),
);
export type BudgetView = Static<typeof BudgetView>;

const LARGEST_COUNT = Number.MAX_SAFE_INTEGER;
const tokens = (description: string) => Type.Integer({ minimum: 0, maximum: LARGEST_COUNT, description });

export const UsageInput = Named(
  'BuildUsageInput',
  Closed({
    tokens_in: tokens('Tokens read so far.'),
    tokens_out: tokens('Tokens written so far.'),
    cost_usd: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: MOST_USD }), {
        description: "What it cost so far; null is worked out from the model's prices.",
      }),
    ),
  }),
);
export type UsageInput = Static<typeof UsageInput>;

export const ModelPrice = Named(
  'ModelPrice',
  Closed({
    model: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The model, or a coder for builds that name none.',
    }),
    from: Described('From when on it counts.', Timestamp),
    usd_per_mtok_in: Type.Number({ minimum: 0, maximum: 1e6, description: 'Of a million tokens read.' }),
    usd_per_mtok_out: Type.Number({ minimum: 0, maximum: 1e6, description: 'Of a million tokens written.' }),
  }),
);
export type ModelPrice = Static<typeof ModelPrice>;

export const ModelPrices = Named(
  'ModelPrices',
  Closed({ prices: Type.Array(ModelPrice, { maxItems: 1000, description: 'All of them.' }) }),
);
export type ModelPrices = Static<typeof ModelPrices>;

export const SPEND_BY = ['day', 'project', 'agent', 'card', 'coder', 'profile'] as const;
export type SpendBy = (typeof SPEND_BY)[number];

const Day = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
      rule: 'must be a day such as 2026-11-16',
      description,
    }),
  );

export const SpendQuery = Type.Object({
  by: OneOf(SPEND_BY, { default: 'day', description: 'What a row stands for.' }),
  from: Day('The first day, in the time zone of the workspace; left out, the first of the month.'),
  to: Day('The last day; left out, today.'),
});
export type SpendQuery = Static<typeof SpendQuery>;

const spent = {
  builds: Count,
  /** Shown where there are any. */
  without_usage: Type.Optional(Count),
  tokens_in: Count,
  tokens_out: Count,
  cost_usd: Type.Number(),
};

export const SpendReport = Named(
  'SpendReport',
  Closed({
    rows: Type.Array(Closed({ key: Type.String(), name: Type.String(), ...spent })),
    total: Closed(spent),
  }),
);
export type SpendReport = Static<typeof SpendReport>;
