import { type Static, Type } from 'typebox';
import { Named } from '../../platform/http/declaration/schemas.js';

const closed = { additionalProperties: false };
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const VersionSchema = Type.String({
  pattern: '^sha256:[0-9a-f]{12}$',
  description: 'A digest of the settings a build receives',
});

const LimitsSchema = Named(
  'CoderLimits',
  Type.Object(
    {
      max_turns: nullable(Type.Integer()),
      max_steps: nullable(Type.Integer()),
      wall_minutes: nullable(Type.Number()),
    },
    closed,
  ),
);

const EnvSchema = Type.Record(Type.String(), Type.String(), {
  description: 'Environment that the desk sets for OpenHands',
});

const SourceSchema = Type.String({ enum: ['platform', 'brand'] });

export const ProfileSchema = Named(
  'CoderProfile',
  Type.Object(
    {
      key: Type.String(),
      version: VersionSchema,
      coder: Type.String({ enum: ['claude_code', 'codex', 'openhands', 'opencode', 'pi'] }),
      recommended_for: Type.Array(Type.String()),
      model: nullable(Type.String()),
      effort: nullable(Type.String()),
      fallback_model: Type.Null(),
      limits: LimitsSchema,
      env: nullable(EnvSchema),
      reason: Type.String(),
      sources: Type.Object({ model: SourceSchema, effort: SourceSchema, limit_value: SourceSchema }, closed),
      platform_defaults: Type.Object(
        {
          model: nullable(Type.String()),
          effort: nullable(Type.String()),
          limit_value: nullable(Type.Integer()),
        },
        closed,
      ),
    },
    closed,
  ),
);
export type Profile = Static<typeof ProfileSchema>;

export const ChangeSchema = Named(
  'CoderProfileChange',
  Type.Object(
    {
      id: Type.Integer(),
      profile_key: Type.String(),
      field: Type.String({ enum: ['model', 'effort', 'limit_value'] }),
      old_value: nullable(Type.String()),
      new_value: nullable(Type.String()),
      actor_user_id: Type.Integer(),
      actor_role: Type.String({ enum: ['brand_admin', 'platform_admin'] }),
      created_at: Type.String({ format: 'date-time' }),
    },
    closed,
  ),
);
export type Change = Static<typeof ChangeSchema>;

/** Accepts any value on purpose, because validity and error message depend on the profile. */
export const OverrideSchema = Named(
  'CoderProfileOverride',
  Type.Object({
    model: Type.Optional(Type.Unknown({ description: 'claude-opus-5-5 or claude-sonnet-5' })),
    effort: Type.Optional(Type.Unknown({ description: 'low, medium or high' })),
    limit_value: Type.Optional(
      Type.Unknown({ description: 'A whole number from 1 up to the platform default' }),
    ),
  }),
);

export const ListQuerySchema = Type.Object({
  coder: Type.Optional(
    Type.String({ description: 'claude (or claude_code), codex, openhands, opencode, pi' }),
  ),
  task_type: Type.Optional(Type.String({ description: 'coding, docs, research, design, test' })),
});

export const MOST_CHANGES = 1000;

export const HistoryQuerySchema = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_CHANGES, description: 'Default 1000' })),
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only ids below this one.',
    }),
  ),
});

export const BuildQuerySchema = Type.Object({
  profile: Type.Optional(Type.String({ description: 'The profile key that the card names' })),
  coder: Type.Optional(Type.String({ description: 'The coder of the desk' })),
  desk_minutes: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: "The desk's own limit; default 120" }),
  ),
  ceiling_minutes: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: "The desk's ceiling; default 240" }),
  ),
});

export const BuildSettingsSchema = Named(
  'BuildSettings',
  Type.Object(
    {
      applied: Type.Boolean({ description: 'false: the desk builds with its own defaults' }),
      profile: nullable(Type.String()),
      version: nullable(VersionSchema),
      model: nullable(Type.String()),
      effort: nullable(Type.String()),
      limits: nullable(LimitsSchema),
      env: nullable(EnvSchema),
      wall_minutes: Type.Number(),
    },
    closed,
  ),
);
export type BuildSettings = Static<typeof BuildSettingsSchema>;
