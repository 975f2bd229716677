import type { BenchRow } from '../row.js';
import { checkToken } from './identity.js';

export const rows: BenchRow[] = [
  {
    name: 'features',
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
            select b.plan,
                   (select count(*) from installed_packages p where p.brand_id = b.brand_id) as installed_packages,
                   (select count(*) from feed_sources f where f.brand_id = b.brand_id) as feed_sources
            from brands b where b.brand_id = $1`,
          values: [world.brandId],
        },
      ],
    }),
  },
];
