import { Type } from 'typebox';
import { CONTENT_TYPES, text } from '../../http/answers.js';
import {
  error,
  memberAccess,
  memberOrDeskAccess,
  type PathParam,
  type Route,
  route,
  textParam,
} from '../../http/route.js';
import { isProfileKey } from './coder-profiles.catalog.js';
import { profileNotFound } from './coder-profiles.errors.js';
import { DEFAULT_CEILING_MINUTES, DEFAULT_DESK_MINUTES, writeProfileList } from './coder-profiles.rules.js';
import {
  BuildQuerySchema,
  BuildSettingsSchema,
  ChangeSchema,
  ListQuerySchema,
  OverrideSchema,
  ProfileSchema,
} from './coder-profiles.schemas.js';
import type { CoderProfileService } from './coder-profiles.service.js';

const BASE = '/api/v1/factory/coder-profiles';
const tags: [string] = ['Coder profiles'];

/** Judged with the input, before the body: a key that no profile has is not found, whatever else was sent. */
const profileKeyParam: PathParam<string> = {
  schema: Type.String({ description: '<coder>.<tier>', examples: ['claude.coding'] }),
  judged: 'validation',
  read(text) {
    if (!isProfileKey(text)) throw profileNotFound();
    return text;
  },
};

const unavailable = error(404, 'No profile has that key, or its coder is not available to the workspace');

export function coderProfileRoutes(profiles: CoderProfileService): Route[] {
  return [
    route({
      method: 'GET',
      path: BASE,
      summary: 'List coder profiles',
      description: "All profiles of the plan's coders with the workspace's changes applied.",
      tags,
      access: memberAccess(),
      query: ListQuerySchema,
      responses: { 200: Type.Array(ProfileSchema) },
      errors: [],
      handler: async ({ caller, query }) =>
        text(200, writeProfileList(await profiles.listProfiles(caller.brandId, query)), CONTENT_TYPES.json),
    }),
    route({
      method: 'GET',
      path: `${BASE}/{key}`,
      summary: 'Read a coder profile',
      tags,
      access: memberAccess(),
      params: { key: profileKeyParam },
      responses: { 200: ProfileSchema },
      errors: [unavailable],
      handler: ({ caller, params }) => profiles.getProfile(caller.brandId, params.key),
    }),
    route({
      method: 'GET',
      path: `${BASE}/{key}/history`,
      summary: 'List what was changed about a coder profile',
      description: 'Newest first.',
      tags,
      access: memberAccess(),
      params: { key: profileKeyParam },
      responses: { 200: Type.Array(ChangeSchema) },
      errors: [unavailable],
      handler: ({ caller, params }) => profiles.listChanges(caller.brandId, params.key),
    }),
    route({
      method: 'PUT',
      path: `${BASE}/{key}/override`,
      summary: 'Change settings of a coder profile',
      description:
        'All or nothing. Omitted settings keep their value. Applies to builds that start after it.',
      tags,
      access: memberAccess({ role: 'admin' }),
      params: { key: profileKeyParam },
      body: OverrideSchema,
      responses: { 200: ProfileSchema },
      errors: [unavailable, error(422, 'A field or value that the profile does not take')],
      handler: ({ caller, params, body }) => profiles.override(caller, params.key, body),
    }),
    route({
      method: 'DELETE',
      path: `${BASE}/{key}/override/{field}`,
      summary: 'Set a coder profile setting back to the platform default',
      tags,
      access: memberAccess({ role: 'admin' }),
      params: {
        key: profileKeyParam,
        field: textParam(Type.String({ examples: ['model', 'effort', 'limit_value'] })),
      },
      responses: { 200: ProfileSchema },
      errors: [unavailable, error(422, 'The profile has no such setting, or nobody may change it')],
      handler: ({ caller, params }) => profiles.reset(caller, params.key, params.field),
    }),
    route({
      method: 'GET',
      path: '/api/v1/factory/builds/settings',
      summary: 'Read what a build starts with',
      description:
        "For desks. A profile that is unknown, off-plan or made for another coder is skipped: `applied` is false and the build runs with the desk's own defaults.",
      tags,
      access: memberOrDeskAccess(),
      query: BuildQuerySchema,
      responses: { 200: BuildSettingsSchema },
      errors: [],
      handler: ({ caller, query }) =>
        profiles.readBuildSettings(caller.brandId, query.profile, {
          coder: query.coder,
          minutes: query.desk_minutes ?? DEFAULT_DESK_MINUTES,
          ceilingMinutes: query.ceiling_minutes ?? DEFAULT_CEILING_MINUTES,
        }),
    }),
  ];
}
