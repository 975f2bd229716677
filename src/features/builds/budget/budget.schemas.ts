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
  day_usd: Amount('The daily limit in dollars. Null: no limit.'),
  month_usd: Amount('The monthly limit in dollars. Null: no limit.'),
};

export const WorkspaceBudget = Named(
  'WorkspaceBudget',
  Closed({
    build_usd: Amount('The limit for one build in dollars. Null: no limit.'),
    card_usd: Amount('The limit for all builds of a card in dollars. Null: no limit.'),
    ...perPeriod,
  }),
);
export type WorkspaceBudget = Static<typeof WorkspaceBudget>;

export const WorkspaceBudgetInput = Type.Partial(WorkspaceBudget, { additionalProperties: false });

export const BudgetInput = Named(
  'BudgetInput',
  Type.Partial(Closed(perPeriod), { additionalProperties: false }),
);
export type BudgetInput = Static<typeof BudgetInput>;

const Usd = Type.Number();

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
const tokens = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: LARGEST_COUNT }), {
    description: `${description} Null: unknown.`,
  });

export const UsageInput = Named(
  'BuildUsageInput',
  Closed({
    tokens_in: tokens('Tokens read so far.'),
    tokens_out: tokens('Tokens written so far.'),
    cost_usd: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: MOST_USD }), {
        description: "The cost so far in dollars. Null: derived from the model's prices.",
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
  by: OneOf(SPEND_BY, { default: 'day', description: 'How to group the rows.' }),
  from: Day('The first day, in the time zone of the workspace; left out, the first of the month.'),
  to: Day('The last day; left out, today.'),
});
export type SpendQuery = Static<typeof SpendQuery>;

const spent = {
  builds: Count,
  /** Omitted when 0. */
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
