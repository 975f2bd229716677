import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/** Shapes that declarations of every feature use. */

export const Timestamp = Type.String({ format: 'date-time' });

export const Uuid = Type.String({ format: 'uuid' });

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** An object without other keys than these: an unknown one is refused by name. */
export const Closed = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

export const OneOf = <const T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>(Type.String({ enum: [...values] }));

export const Success = Closed({ success: Type.Boolean() });

/** The instant a validated timestamp field names; absent and null are no instant. */
export const instantOf = (value: Static<typeof Timestamp> | null | undefined): Date | null =>
  value ? new Date(value) : null;
