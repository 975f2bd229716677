import type { Selectable } from 'kysely';
import { type Static, type TSchema, Type } from 'typebox';
import type { Tables } from '../../../platform/database/database.js';
import {
  Described,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../../platform/http/declaration/schemas.js';
import { type Column, STATUSES } from '../board/columns.js';
import { fieldRefused } from '../boards.errors.js';
import { CardId, ColumnName, NonBlank, Person } from '../boards.schemas.js';

export interface Kind<Shown extends TSchema = TSchema, Input extends TSchema = TSchema> {
  shown: Shown;
  /** An absent value keeps the field, and null clears it or restores the default. */
  input: Input;
  /** The default value. */
  empty(card: { number: number }): Static<Shown>;
  /** Checks what a schema cannot express. */
  check?(given: unknown, field: string, known: KnownElsewhere): void;
  /** From the input to the shown form. Default: unchanged. */
  read?(given: unknown, people: ReadonlyMap<number, string>): Static<Shown>;
  /** From the shown to the stored form. Default: unchanged. */
  keep?(shown: unknown): unknown;
  /** From the stored to the shown form. Default: unchanged. */
  show?(kept: never, row: CardRow): Static<Shown>;
  /** From the shown form to the text of an export. */
  write?(shown: unknown): string;
  /** Free text. */
  words?: true;
  /** The kind of thing that the field refers to, whose existence is checked on write. */
  names?: Reference;
}

/** Checks that belong to other features. */
export interface KnownElsewhere {
  isProfileKey(key: string): boolean;
  /** Throws when the `checks` of a card are malformed. */
  requireCardChecks(checks: unknown): void;
}

export type Reference = 'person' | 'parent' | 'blocker' | Thing;
export type Thing = 'project' | 'environment' | 'hire' | 'agent';

const LARGEST_INTEGER = 2_147_483_647;
const LARGEST_NUMBER = 1e15;
const BODY_LIMIT_BYTES = 1_048_576;
const CONTEXT_LIMIT_BYTES = 16_384;
const LONGEST_COLUMN_REFERENCE = 255;

export const Text = Type.String();
export const Count = Type.Integer({ minimum: 0 });

const may = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));
const nothing = () => null;

const freeText = { words: true } as const;

const optional = <S extends TSchema, I extends TSchema>(shown: S, input: I) => ({
  shown: Nullable(shown),
  input: may(input),
  empty: nothing,
});

const defaulting = <S extends TSchema, I extends TSchema>(shown: S, input: I, fallback: Static<S>) => ({
  shown,
  input: may(input),
  empty: () => structuredClone(fallback),
});

const CountInput = Type.Integer({ minimum: 0, maximum: LARGEST_INTEGER });
const LargeCountInput = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const AmountInput = Type.Number({ minimum: 0, maximum: LARGEST_NUMBER });

export const text = (maxLength: number) => ({
  ...optional(Text, Type.String({ maxLength })),
  ...freeText,
});
export const word = (maxLength: number, fallback: string) => ({
  ...defaulting(Text, Type.String({ minLength: 1, maxLength }), fallback),
  ...freeText,
});
export const choice = <const T extends string>(values: readonly T[], fallback: NoInfer<T>) =>
  defaulting(OneOf(values), OneOf(values), fallback as never);
export const flag = (fallback: boolean) => defaulting(Type.Boolean(), Type.Boolean(), fallback);
export const count = (fallback: number) => defaulting(Count, CountInput, fallback);
export const largeCount = (fallback: number) => defaulting(Count, LargeCountInput, fallback);
export const amount = (fallback: number) => defaulting(Type.Number(), AmountInput, fallback);
export const optionalCount = optional(Count, CountInput);
export const optionalAmount = optional(Type.Number(), AmountInput);
export const percentage = optional(Type.Number(), Type.Number({ minimum: 0, maximum: 100 }));
export const ordinal = optional(Type.Integer(), Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER }));

export const webAddress = {
  ...optional(
    Text,
    Type.String({
      maxLength: 2000,
      pattern: '^[hH][tT][tT][pP][sS]?://[^\\s]+$',
      rule: 'must be an http or https address',
    }),
  ),
  ...freeText,
};

const TitleInput = NonBlank(500);
export const title = {
  shown: Text,
  input: Type.Optional(TitleInput),
  required: TitleInput,
  empty: () => '',
  ...freeText,
};

export const labels = {
  ...defaulting(
    Type.Array(Text),
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100 }),
    [],
  ),
  ...freeText,
  read: (given: unknown) => [...new Set(given as string[])],
};

/** New cards are positioned by their number, in order of creation. */
export const position = {
  shown: Type.Number(),
  input: may(Type.Number({ minimum: -LARGEST_NUMBER, maximum: LARGEST_NUMBER })),
  empty: ({ number }: { number: number }) => number,
};

export const moment = {
  shown: Timestamp,
  show: (kept: Date) => kept.toISOString(),
};

export const instant = {
  ...optional(Timestamp, Timestamp),
  read: (given: unknown) => new Date(given as string).toISOString(),
  show: (kept: Date | null) => (kept === null ? null : kept.toISOString()),
  check(given: unknown, field: string) {
    const year = new Date(given as string).getUTCFullYear();
    if (year < 1 || year > 9999) throw fieldRefused(field, 'must be a time of the years 1 to 9999');
  },
};

const UserId = Type.Integer({
  minimum: 1,
  maximum: LARGEST_INTEGER,
  description: 'User id, as list_members shows it.',
});
const PersonInput = Named(
  'PersonInput',
  Type.Union([
    UserId,
    Type.Object(
      {
        user_id: UserId,
        name: Type.Optional(
          Type.String({ maxLength: 1000, description: 'Ignored; the id identifies the person.' }),
        ),
      },
      { additionalProperties: false },
    ),
  ]),
);
type PersonInput = Static<typeof PersonInput>;

const userIdOf = (person: PersonInput): number => (typeof person === 'number' ? person : person.user_id);
const personOf = (given: PersonInput, people: ReadonlyMap<number, string>): Person => ({
  user_id: userIdOf(given),
  name: people.get(userIdOf(given)) ?? '',
});

export const person = {
  ...optional(Person, PersonInput),
  names: 'person' as const,
  read: (given: unknown, people: ReadonlyMap<number, string>) => personOf(given as PersonInput, people),
  keep: (shown: unknown) => (shown as Person | null)?.user_id ?? null,
  write: (shown: unknown) => (shown as Person).name,
};

export const people = {
  ...defaulting(Type.Array(Person), Type.Array(PersonInput, { maxItems: 100 }), []),
  names: 'person' as const,
  show: (_kept: unknown, { watchers }: CardRow) => watchers,
  read: (given: unknown, known: ReadonlyMap<number, string>) =>
    [...new Set((given as PersonInput[]).map(userIdOf))].map((id) => personOf(id, known)),
  keep: (shown: unknown) => (shown as Person[]).map(({ user_id }) => user_id),
  write: (shown: unknown) => (shown as Person[]).map(({ name }) => name).join(', '),
};

export const userIdsIn = (given: unknown): number[] => [given as PersonInput].flat().map(userIdOf);

const lowerCased = (given: unknown) => (given as string).toLowerCase();

export const thing = <const R extends Reference>(names: R) => ({
  ...optional(Uuid, Uuid),
  names,
  read: lowerCased,
});

export const parent = { ...thing('parent'), ...optional(Uuid, CardId) };

export const agent = {
  ...optional(
    Text,
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[A-Za-z0-9_-]+$',
      rule: 'must consist of letters, digits, _ and -',
    }),
  ),
  names: 'agent' as const,
};

export const blockers = {
  ...defaulting(Type.Array(Uuid), Type.Array(CardId, { maxItems: 100 }), []),
  names: 'blocker' as const,
  read: (given: unknown) => [...new Set((given as string[]).map(lowerCased))].sort(),
};

const ColumnReference = Type.String({ maxLength: LONGEST_COLUMN_REFERENCE });

const columnReferences = {
  id: Type.Optional(Described('Id of the column.', ColumnReference)),
  name: Type.Optional(Described('Name of the column.', ColumnReference)),
};

/** See `placeCard` for how column and status depend on each other. */
export const status = {
  shown: OneOf(STATUSES),
  input: Type.Optional(OneOf(STATUSES)),
  empty: () => STATUSES[0],
};

export const column = {
  shown: ColumnName,
  input: Type.Optional(
    Type.Union([
      ColumnReference,
      Type.Object(columnReferences, { additionalProperties: false, minProperties: 1 }),
    ]),
  ),
  empty: () => ({ id: '', name: '' }),
  show: (kept: string, { column_name }: CardRow) => ({ id: kept, name: column_name }),
  keep: (shown: unknown) => (shown as Column).id,
  write: (shown: unknown) => (shown as Column).name,
};

export const columnAliases = {
  column_id: columnReferences.id,
  column_name: columnReferences.name,
};

export const body = {
  ...optional(Text, Type.String({ maxLength: BODY_LIMIT_BYTES })),
  ...freeText,
  check(given: unknown, field: string) {
    if (Buffer.byteLength(given as string) > BODY_LIMIT_BYTES)
      throw fieldRefused(field, 'must have at most 1 MiB');
  },
};

const AgentContext = Named(
  'AgentContext',
  Type.Object(
    {
      profile: Type.Optional(
        Nullable(Text, { description: 'Key of a coder profile, such as `claude.coding`.' }),
      ),
    },
    { additionalProperties: true },
  ),
);

export const agentContext = {
  ...defaulting(AgentContext, AgentContext, {}),
  check(given: unknown, field: string, { isProfileKey, requireCardChecks }: KnownElsewhere) {
    const { profile, checks } = given as { profile?: unknown; checks?: unknown };
    if (Buffer.byteLength(JSON.stringify(given)) > CONTEXT_LIMIT_BYTES)
      throw fieldRefused(field, 'must have at most 16 KiB');
    if (typeof profile === 'string' && !isProfileKey(profile))
      throw fieldRefused(`${field}.profile`, 'must be the key of a coder profile');
    requireCardChecks(checks);
  },
};

export interface CardRow extends Omit<Selectable<Tables['cards']>, 'status_of_build'> {
  ref: string;
  board: string;
  column_name: string;
  assignee_name: string | null;
  reporter_name: string | null;
  watchers: Person[];
  child_ids: string[];
  blocked_by: string[];
  blocks: string[];
}
