import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../../http/schemas.js';
import { STATUSES, TASK_TYPES } from './boards.card-fields.js';

/** What a person or an agent may set on a card. Absent keeps, null clears (or brings back the default), a value sets. */

const LARGEST_INTEGER = 2_147_483_647;
const LARGEST_NUMBER = 1e15;
export const BODY_LIMIT_BYTES = 1_048_576;

const may = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema));
const text = (maxLength: number) => may(Type.String({ maxLength }));
const amount = may(Type.Number({ minimum: 0, maximum: LARGEST_NUMBER }));
const count = may(Type.Integer({ minimum: 0, maximum: LARGEST_INTEGER }));
const largeCount = may(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
const webAddress = may(
  Type.String({
    maxLength: 2000,
    pattern: '^[hH][tT][tT][pP][sS]?://[^\\s]+$',
    rule: 'must be an http or https address',
  }),
);
const body = may(Type.String({ maxLength: BODY_LIMIT_BYTES }));

const UserId = Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER });
/** As it is read, or the number alone. */
const PersonInput = Type.Union([
  UserId,
  Type.Object({ user_id: UserId, name: Type.Optional(Type.String()) }, { additionalProperties: false }),
]);
export type PersonInput = Static<typeof PersonInput>;

const Title = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', rule: 'must not be blank' });

const PLACE_FIELDS = {
  status: Type.Optional(OneOf(STATUSES)),
  column: Type.Optional(
    Type.Union([
      Type.String(),
      Type.Object(
        { id: Type.Optional(Type.String()), name: Type.Optional(Type.String()) },
        { additionalProperties: false, minProperties: 1 },
      ),
    ]),
  ),
  column_id: Type.Optional(Type.String()),
  column_name: Type.Optional(Type.String()),
};

const FREE_FIELDS = {
  project_id: may(Uuid),
  task_type: may(OneOf(TASK_TYPES)),
  position: may(Type.Number({ minimum: -LARGEST_NUMBER, maximum: LARGEST_NUMBER })),
  priority: may(Type.String({ minLength: 1, maxLength: 50 })),
  labels: may(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100 })),
  assignee: may(PersonInput),
  assignee_agent_id: may(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[A-Za-z0-9_-]+$',
      rule: 'must consist of letters, digits, _ and -',
    }),
  ),
  reporter: may(PersonInput),
  watchers: may(Type.Array(PersonInput, { maxItems: 100 })),
  parent_id: may(Uuid),
  blocked_by: may(Type.Array(Uuid, { maxItems: 100 })),
  due_at: may(Timestamp),
  start_at: may(Timestamp),
  estimate_points: amount,
  estimate_minutes: count,
  time_spent_minutes: count,
  agent_context: may(Type.Object({ profile: may(Type.String()) }, { additionalProperties: true })),
  environment_id: may(Uuid),
  runtime: text(100),
  hire_id: may(Uuid),
  attempt: count,
  max_attempts: count,
  progress_percent: may(Type.Number({ minimum: 0, maximum: 100 })),
  branch: text(255),
  base_branch: text(255),
  commit_sha: text(100),
  pr_number: may(Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER })),
  pr_url: webAddress,
  pr_state: text(50),
  checks_state: text(50),
  review_state: text(50),
  merged_at: may(Timestamp),
  deploy_url: webAddress,
  cost_usd: amount,
  tokens_in: largeCount,
  tokens_out: largeCount,
  error_code: text(100),
  error_message: text(20_000),
  checklist_done: count,
  checklist_total: count,
  source: text(100),
  external_url: webAddress,
  archived: may(Type.Boolean()),
  instructions: body,
  result: body,
};

export const CardInput = Type.Object(
  { title: Title, ...PLACE_FIELDS, ...FREE_FIELDS },
  { additionalProperties: false },
);
export type CardInput = Static<typeof CardInput>;

export const CardPatch = Type.Object(
  {
    title: Type.Optional(Title),
    ...PLACE_FIELDS,
    ...FREE_FIELDS,
    return: Type.Optional(
      Type.Unknown({ description: 'Ignored here: it is read from the query string only.' }),
    ),
  },
  { additionalProperties: false },
);
export type CardPatch = Omit<Static<typeof CardPatch>, 'return'>;

export type FreeField = keyof typeof FREE_FIELDS;
export const FREE_FIELD_NAMES = Object.keys(FREE_FIELDS) as FreeField[];

/** What null brings back where a field cannot be empty. Everything else becomes null. */
export const FIELD_DEFAULTS = {
  task_type: 'coding',
  priority: 'normal',
  labels: [] as string[],
  watchers: [] as number[],
  blocked_by: [] as string[],
  time_spent_minutes: 0,
  agent_context: {},
  attempt: 0,
  max_attempts: 3,
  cost_usd: 0,
  tokens_in: 0,
  tokens_out: 0,
  checklist_done: 0,
  checklist_total: 0,
  archived: false,
} satisfies Partial<Record<FreeField, unknown>>;

export const DATE_FIELDS = ['due_at', 'start_at', 'merged_at'] as const satisfies readonly FreeField[];
