import { type Static, type TSchema, Type } from 'typebox';
import { Closed, Described, Named, Nullable } from '../../../platform/http/declaration/schemas.js';
import { WorkspaceBudget, WorkspaceBudgetInput } from '../budget/budget.schemas.js';
import { Reviewer } from '../review.schemas.js';

const field = <Input extends TSchema, Answer extends TSchema, Otherwise extends Static<Answer> | undefined>(
  input: Input,
  answer: Answer,
  otherwise: Otherwise,
) => ({ input, answer, otherwise });

const Cap = (most: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    description: `${most}; null is what the plan allows.`,
  });
const Limit = Nullable(Type.Integer());

const REWORK_REASONS = {
  on_gate: 'After a check that failed.',
  on_checks: "After a failed check of the pull request's head.",
  on_changes_requested: 'After a review there that asks for changes.',
  on_conflict: 'When it cannot be merged.',
};

const forEachReason = <Value>(make: (description: string) => Value) =>
  Object.fromEntries(
    Object.entries(REWORK_REASONS).map(([reason, description]) => [reason, make(description)]),
  ) as Record<keyof typeof REWORK_REASONS, Value>;

export const NO_REWORK = forEachReason(() => false);

/** Input, answer and default of each field. Each is stored in the column of its name. */
export const POLICY_FIELDS = {
  enabled: field(
    Type.Boolean({ description: 'Whether builds may be started at all.' }),
    Type.Boolean(),
    true,
  ),
  max_open: field(Cap('How many builds may wait or run at once'), Limit, null),
  max_per_day: field(Cap('How many builds may be started within 24 hours'), Limit, null),
  max_minutes: field(
    Nullable(Type.Integer({ minimum: 1, maximum: 100_000 }), {
      description: 'The longest build; null leaves it to its profile.',
    }),
    Limit,
    null,
  ),
  rework: field(
    Type.Partial(Closed(forEachReason((description) => Type.Boolean({ description }))), {
      additionalProperties: false,
      description: 'The events after which the next attempt starts automatically.',
    }),
    Named('BuildRework', Closed(forEachReason(() => Type.Boolean()))),
    NO_REWORK,
  ),
  reviewer: field(
    Nullable(Reviewer, { description: 'The coder that reviews changes. Null: no reviewer.' }),
    Nullable(Reviewer),
    null,
  ),
  allow_secrets: field(
    Type.Optional(
      Type.Boolean({
        description: 'Whether commits may hold secrets that the coder was given.',
      }),
    ),
    Type.Optional(Type.Boolean()),
    undefined,
  ),
  stall_minutes: field(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Minutes without progress until people are notified; 0: never.',
    }),
    Type.Integer(),
    20,
  ),
  question_hours: field(
    Type.Integer({
      minimum: 1,
      maximum: 720,
      description: 'Hours until a coder continues without an answer to its question.',
    }),
    Type.Integer(),
    72,
  ),
};

type Fields = typeof POLICY_FIELDS;

const partsOf = <Part extends keyof Fields[keyof Fields]>(part: Part) =>
  Object.fromEntries(Object.entries(POLICY_FIELDS).map(([name, each]) => [name, each[part]])) as {
    [Name in keyof Fields]: Fields[Name][Part];
  };

export const BuildPolicy = Named('BuildPolicy', Closed({ ...partsOf('answer'), budget: WorkspaceBudget }));
export type BuildPolicy = Static<typeof BuildPolicy>;

export const BuildPolicyInput = Named(
  'BuildPolicyInput',
  Type.Partial(
    Closed({
      ...partsOf('input'),
      budget: Type.Unsafe<Partial<WorkspaceBudget>>(
        Described(
          'Limits on the cost of builds. Null: no limit. Omitted fields keep their value.',
          WorkspaceBudgetInput,
        ),
      ),
    }),
    { additionalProperties: false },
  ),
);
export type BuildPolicyInput = Static<typeof BuildPolicyInput>;

export const OPEN_FIELDS = partsOf('otherwise');
