import { boardsWorld } from '../boards-world.js';
import type { BenchRow } from '../row.js';
import { checkToken } from './identity.js';

const QUESTION = 'card num';

export const rows: BenchRow[] = [
  {
    name: 'search',
    kind: 'read',
    setup: async (world) => ({ ...(await boardsWorld(world)) }),
    request: (world) => ({
      path: `/api/v1/search?q=${encodeURIComponent(QUESTION)}&kinds=card`,
      headers: world.bearer,
    }),
    floor: (world) => ({
      statements: [
        checkToken(world),
        {
          text: 'select board_id, name, key, board_type from boards where brand_id = $1',
          values: [world.brandId],
        },
        {
          text: `
            select k.card_id, k.number, k.title, k.status, b.instructions, b.result
            from (
              select card_id from card_words where brand_id = $1 and words @@ search_query($1, '!', $2)
              order by changed_at desc limit 5
            ) found join cards k using (card_id) left join card_bodies b using (card_id)`,
          values: [world.brandId, QUESTION],
        },
      ],
    }),
  },
];
