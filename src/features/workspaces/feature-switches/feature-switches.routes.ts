import { FEATURES } from '../../../kernel/plans.js';
import { markdownFacts } from '../../../platform/http/answer/markdown.js';
import {
  error,
  memberAccess,
  oneOfParam,
  type Route,
  route,
} from '../../../platform/http/declaration/route.js';
import { FeaturesSchema, SwitchBody } from './feature-switches.schemas.js';
import type { FeatureSwitchService } from './feature-switches.service.js';

const tags: [string] = ['Workspace settings'];

export function featureSwitchRoutes(features: FeatureSwitchService): Route[] {
  return [
    route({
      name: 'get_features',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/features',
      summary: 'Read the feature switches of the workspace',
      description: 'Whether each is on, why, who set it and when, and what it holds.',
      tags,
      access: memberAccess({ scope: 'brand:read' }),
      formats: {
        allowed: ['yaml', 'md'],
        default: 'json',
        markdown: (data) => `# Features\n\n${markdownFacts(data)}`,
      },
      ready: true,
      headers: ['If-None-Match', 'ETag'],
      responses: { 200: FeaturesSchema, 304: null },
      errors: [],
      handler: ({ caller }) => features.readFeatures(caller.brandId),
    }),
    route({
      name: 'set_feature',
      method: 'PUT',
      path: '/api/v1/brands/{brand_id}/features/{key}',
      summary: 'Turn a feature on or off',
      description: 'Off hides it from the dashboard and deletes nothing.',
      tags,
      access: memberAccess({ scope: 'brand:admin', role: 'admin' }),
      params: {
        key: oneOfParam('key', FEATURES, { description: 'As get_features names it.' }),
      },
      body: SwitchBody,
      responses: { 200: FeaturesSchema },
      errors: [error(409, '`This feature is not included in the workspace plan`')],
      handler: ({ caller, params, body }) => features.changeFeature(caller, params.key, body.on),
    }),
  ];
}
