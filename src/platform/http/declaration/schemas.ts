import { type Static, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox';

/** Shapes that declarations of every feature use. */

export const Timestamp = Type.String({ format: 'date-time' });

/** A date without a time, as it is called in UTC. */
export const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

export const Uuid = Type.String({ format: 'uuid' });

/** An id for which a request may bring the thing's own name: see `request/names.ts`. */
export const IdOrName = (names: string, rule: string) => Type.String({ format: 'uuid', names, rule });

/** What somebody looks for in words, named alike everywhere; it was called `q` before, and may be still. */
export const searchText = (description: string, options: TSchemaOptions = {}) =>
  Type.String({ ...options, description, formerly: 'q' });

export const Nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** An object without other keys than these: an unknown one is refused by name. */
export const Closed = <T extends TProperties>(properties: T, options: TSchemaOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/** A shape that has a name of its own wherever programs meet it. */
export const Named = <T extends TSchema>(title: string, schema: T): T => Object.assign(schema, { title });

/** A shape that others share, with what it means in this place. */
export const Described = <T extends TSchema>(description: string, schema: T): T => {
  // Not by spreading: what marks a field as optional is hidden from it.
  const copy: T = Object.create(Object.prototype, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, { description });
};

export const OneOf = <const T extends string>(values: readonly T[], options: TSchemaOptions = {}) =>
  Type.Unsafe<T>(Type.String({ ...options, enum: [...values] }));

/** What a person or a workspace is called: it stands in letters, headers of mail and lists, so it is one line. */
export const SingleLineName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  rule: 'must not be blank and must not contain line breaks or other control characters',
});

/** Whoever did something; `agent_id` where it was an agent on behalf of the person. */
export const Actor = Named(
  'Actor',
  Closed({ user_id: Type.Integer(), name: Type.String(), agent_id: Nullable(Type.String()) }),
);

export const WorkspaceName = Named('WorkspaceName', Described('Its name.', SingleLineName));

export const Success = Closed({ success: Type.Boolean() });

/** The instant a validated timestamp field names; absent and null are no instant. */
export const instantOf = (value: Static<typeof Timestamp> | null | undefined): Date | null =>
  value ? new Date(value) : null;
