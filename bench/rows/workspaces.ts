import type { BenchRow } from '../row.js';
import { checkToken } from './identity.js';

export const rows: BenchRow[] = [
  {
    name: 'features',
    kind: 'read',
    setup: async (world) => {
      await world.operator('POST', `/brands/${world.brandId}/packages`, { name: 'review', version: '1.0.0' });
      return world.operator('POST', `/brands/${world.brandId}/feed-sources`, {
        name: 'News',
        url: 'https://example.com/feed.xml',
      });
    },
    request: (world) => ({ path: `/api/v1/brands/${world.brandId}/features`, headers: world.bearer }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        {
          text: `
            select b.plan, b.new_navigation,
                   (select count(*) from installed_packages p where p.brand_id = b.brand_id) as installed_packages,
                   (select count(*) from feed_sources f where f.brand_id = b.brand_id) as feed_sources,
                   (select count(*) from desks d where d.brand_id = b.brand_id) as machines,
                   (select count(*) from boards c where c.brand_id = b.brand_id and c.board_type = 'crm') as crm_boards,
                   (select json_object_agg(c.feature, json_build_array(c.is_on, u.user_id, u.full_name, c.changed_at))
                    from feature_choices c join users u on u.user_id = c.changed_by
                    where c.brand_id = b.brand_id) as choices
            from brands b where b.brand_id = $1`,
          values: [world.brandId],
        },
      ],
    }),
  },
  {
    name: 'members',
    kind: 'read',
    request: (world) => ({ path: `/api/v1/brands/${world.brandId}/members`, headers: world.bearer }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        {
          text: `
            select u.user_id, u.email, u.full_name, m.role, m.position, m.photo_key, m.joined_at
            from memberships m join users u on u.user_id = m.user_id
            where m.brand_id = $1 and m.active order by m.joined_at, m.user_id`,
          values: [world.brandId],
        },
      ],
    }),
  },
];
