import type { BenchRow } from '../row.js';
import { checkToken } from './identity.js';

export const rows: BenchRow[] = [
  {
    name: 'coder-profiles',
    kind: 'read',
    setup: (world) =>
      world.call('PUT', '/api/v1/factory/coder-profiles/claude.coding/override', {
        effort: 'high',
        limit_value: 120,
      }),
    request: (world) => ({ path: '/api/v1/factory/coder-profiles', headers: world.bearer }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        {
          text: `
            select b.plan, o.profile_key, o.field, o.value
            from brands b left join coder_profile_overrides o on o.brand_id = b.brand_id
            where b.brand_id = $1`,
          values: [world.brandId],
        },
      ],
    }),
  },
  {
    name: 'build-settings',
    kind: 'read',
    request: (world) => ({
      path: '/api/v1/factory/builds/settings?profile=claude.coding&coder=claude',
      headers: world.bearer,
    }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        {
          text: `
            select b.plan, o.field, o.value
            from brands b
            left join coder_profile_overrides o on o.brand_id = b.brand_id and o.profile_key = 'claude.coding'
            where b.brand_id = $1`,
          values: [world.brandId],
        },
      ],
    }),
  },
];
