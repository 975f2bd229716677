import { Type } from 'typebox';
import { CONTENT_TYPES, text } from '../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  memberOrDeskAccess,
  type PathParam,
  type Route,
  route,
  textParam,
} from '../../platform/http/declaration/route.js';
import {
  DEFAULT_CEILING_MINUTES,
  DEFAULT_DESK_MINUTES,
  isProfileKey,
  profileNotFound,
  writeProfileList,
} from './coder-profiles.rules.js';
import {
  BuildQuerySchema,
  BuildSettingsSchema,
  ChangeSchema,
  HistoryQuerySchema,
  ListQuerySchema,
  OverrideSchema,
  ProfileSchema,
} from './coder-profiles.schemas.js';
import type { CoderProfileService } from './coder-profiles.service.js';

const BASE = '/api/v1/factory/coder-profiles';
const tags: [string] = ['Coder profiles'];

/** Validated before the body, so an unknown key returns 404 even with an invalid body. */
const profileKeyParam: PathParam<string> = {
  schema: Type.String({ examples: ['claude.coding'] }),
  description: '`<coder>.<tier>`, as list_coder_profiles shows it.',
  judged: 'validation',
  read(text) {
    if (!isProfileKey(text)) throw profileNotFound();
    return text;
  },
};

/** Platform staff may set overrides in every workspace that they belong to. */
const changeProfiles = memberAccess({ role: 'admin', orStaff: true });

const unavailable = error(404, 'No such profile, or its coder is not available');

export function coderProfileRoutes(profiles: CoderProfileService): Route[] {
  return [
    route({
      name: 'list_coder_profiles',
      method: 'GET',
      path: BASE,
      agents: 'direct',
      summary: 'List coder profiles',
      description: "With the workspace's changes. A card names one in `agent_context.profile`.",
      tags,
      access: memberAccess(),
      query: ListQuerySchema,
      ready: true,
      headers: ['If-None-Match', 'ETag'],
      responses: { 200: Type.Array(ProfileSchema), 304: null },
      errors: [],
      handler: async ({ caller, query }) =>
        text(200, writeProfileList(await profiles.listProfiles(caller.brandId, query)), CONTENT_TYPES.json),
    }),
    route({
      name: 'get_coder_profile',
      method: 'GET',
      path: `${BASE}/{key}`,
      summary: 'Read a coder profile',
      description: "Its settings, their sources, and the platform's defaults.",
      tags,
      access: memberAccess(),
      params: { key: profileKeyParam },
      responses: { 200: ProfileSchema },
      errors: [unavailable],
      handler: ({ caller, params }) => profiles.getProfile(caller.brandId, params.key),
    }),
    route({
      name: 'list_coder_profile_history',
      method: 'GET',
      path: `${BASE}/{key}/history`,
      pagination: { style: 'before', parameter: 'before', from: 'id', items: null },
      summary: 'List changes of a coder profile',
      description: 'Newest first.',
      tags,
      access: memberAccess(),
      params: { key: profileKeyParam },
      query: HistoryQuerySchema,
      responses: { 200: Type.Array(ChangeSchema) },
      errors: [unavailable],
      handler: ({ caller, params, query }) => profiles.listChanges(caller.brandId, params.key, query),
    }),
    route({
      name: 'override_coder_profile',
      method: 'PUT',
      path: `${BASE}/{key}/override`,
      summary: 'Change settings of a coder profile',
      description: 'All or nothing. Omitted settings stay. Applies to builds that start after it.',
      tags,
      access: changeProfiles,
      params: { key: profileKeyParam },
      body: OverrideSchema,
      responses: { 200: ProfileSchema },
      errors: [unavailable, error(422, 'A field or value that the profile does not take')],
      handler: ({ caller, params, body }) => profiles.override(caller, params.key, body),
    }),
    route({
      name: 'reset_coder_profile_field',
      method: 'DELETE',
      path: `${BASE}/{key}/override/{field}`,
      summary: 'Reset a setting to the platform default',
      description: 'Answers the profile as it is then.',
      tags,
      access: changeProfiles,
      params: {
        key: profileKeyParam,
        field: textParam(Type.String({ examples: ['model', 'effort', 'limit_value'] }), {
          description: '`model`, `effort` or `limit_value`.',
        }),
      },
      responses: { 200: ProfileSchema },
      errors: [unavailable, error(422, 'The profile has no such setting, or it cannot be changed')],
      handler: ({ caller, params }) => profiles.reset(caller, params.key, params.field),
    }),
    route({
      name: 'get_build_settings',
      method: 'GET',
      path: '/api/v1/factory/builds/settings',
      agents: 'direct',
      summary: 'Get the settings that a build starts with',
      description:
        "A profile that is unknown, off-plan or of another coder is skipped: `applied` is false, and the desk's own defaults count.",
      tags,
      access: memberOrDeskAccess(),
      query: BuildQuerySchema,
      ready: true,
      headers: ['If-None-Match', 'ETag'],
      responses: { 200: BuildSettingsSchema, 304: null },
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
