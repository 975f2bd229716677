import { type Static, type TProperties, type TSchema, type TSchemaOptions, Type } from 'typebox';

export const Timestamp = Type.String({ format: 'date-time' });

/** A date in UTC. */
export const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

export const Uuid = Type.String({ format: 'uuid' });

/** An id in whose place requests may pass a name: see `request/names.ts`. */
export const IdOrName = (names: string, rule: string) => Type.String({ format: 'uuid', names, rule });

/** The search text of lists. `q` is its former name. */
export const searchText = (description: string, options: TSchemaOptions = {}) =>
  Type.String({ ...options, description, formerly: 'q' });

export const Nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** An object that rejects unknown keys. */
export const Closed = <T extends TProperties>(properties: T, options: TSchemaOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/** A schema with a name in the OpenAPI document and its clients. */
export const Named = <T extends TSchema>(title: string, schema: T): T => Object.assign(schema, { title });

/** A shared schema with its own description. */
export const Described = <T extends TSchema>(description: string, schema: T): T => {
  // Spreading would drop the hidden marker of optional fields.
  const copy: T = Object.create(Object.prototype, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, { description });
};

export const OneOf = <const T extends string>(values: readonly T[], options: TSchemaOptions = {}) =>
  Type.Unsafe<T>(Type.String({ ...options, enum: [...values] }));

/** The name of a person or workspace. It is one line, because it appears in mail headers. */
export const SingleLineName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  rule: 'must not be blank and must not contain line breaks or other control characters',
});

/** `agent_id` is set when an agent acted for the person. */
export const Actor = Named(
  'Actor',
  Closed({ user_id: Type.Integer(), name: Type.String(), agent_id: Nullable(Type.String()) }),
);

export const WorkspaceName = Named('WorkspaceName', Described('Its name.', SingleLineName));

export const Success = Closed({ success: Type.Boolean() });

/** Returns the instant of a validated timestamp, or null for null or undefined. */
export const instantOf = (value: Static<typeof Timestamp> | null | undefined): Date | null =>
  value ? new Date(value) : null;
