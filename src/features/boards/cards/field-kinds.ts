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

/** What a value of a card is, whatever its field is called: how it is shown, what a body may say, how it is kept. */
export interface Kind<Shown extends TSchema = TSchema, Input extends TSchema = TSchema> {
  /** As every answer shows it. */
  shown: Shown;
  /** What a body may say of it: absent keeps, null clears (or brings back what is there without a word), a value sets. */
  input: Input;
  /** What null brings back, and what a new card begins with. */
  empty(card: { number: number }): Static<Shown>;
  /** Throws where a schema cannot tell that a body is wrong. */
  check?(given: unknown, field: string, known: KnownElsewhere): void;
  /** What a body said, as the card shows it; otherwise it is shown as it was said. */
  read?(given: unknown, people: ReadonlyMap<number, string>): Static<Shown>;
  /** What is shown, as the database keeps it; otherwise it is kept as it is shown. */
  keep?(shown: unknown): unknown;
  /** What the row says, as the card shows it; otherwise what is kept is shown as it is. */
  show?(kept: never, row: CardRow): Static<Shown>;
  /** What is shown, as an export writes it; otherwise in the way of all values of its type. */
  write?(shown: unknown): string;
  /** Free text: whoever sets it says something with it. */
  words?: true;
  /** What it names: that has to be there, in this workspace, when it is written. */
  names?: Reference;
}

/** What other features know of the values of a card. */
export interface KnownElsewhere {
  isProfileKey(key: string): boolean;
  /** Throws where a card asks for checks in a form that is none. */
  requireCardChecks(checks: unknown): void;
}

export type Reference = 'person' | 'parent' | 'blocker' | Thing;
/** What other features look after. */
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

/** Null until somebody says something. */
const optional = <S extends TSchema, I extends TSchema>(shown: S, input: I) => ({
  shown: Nullable(shown),
  input: may(input),
  empty: nothing,
});

/** Never null: the fallback stands where nobody said anything. */
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

/** A new card gets its own number, so that cards stand in the order of their making. */
export const position = {
  shown: Type.Number(),
  input: may(Type.Number({ minimum: -LARGEST_NUMBER, maximum: LARGEST_NUMBER })),
  empty: ({ number }: { number: number }) => number,
};

// --- times ----------------------------------------------------------------------------------------

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

// --- people and things ----------------------------------------------------------------------------

const UserId = Type.Integer({
  minimum: 1,
  maximum: LARGEST_INTEGER,
  description: 'As list_members shows it.',
});
/** As it is read, or the number alone. */
const PersonInput = Named(
  'PersonInput',
  Type.Union([
    UserId,
    Type.Object(
      {
        user_id: UserId,
        name: Type.Optional(Type.String({ maxLength: 1000, description: 'Not needed: the id says who.' })),
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

/** Who is named there. */
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

// --- where a card stands --------------------------------------------------------------------------

const ColumnReference = Type.String({ maxLength: LONGEST_COLUMN_REFERENCE });

const columnReferences = {
  id: Type.Optional(Described('The column by its id.', ColumnReference)),
  name: Type.Optional(Described('The column by its name.', ColumnReference)),
};

/** Column and status follow from each other, so they are read together: see `placeCard`. */
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

/** Two more ways of naming the column. */
export const columnAliases = {
  column_id: columnReferences.id,
  column_name: columnReferences.name,
};

// --- long texts and loose objects -----------------------------------------------------------------

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
      profile: Type.Optional(Nullable(Text, { description: 'A coder profile, such as `claude.coding`.' })),
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

/** A card's row, with what is joined to it. */
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
