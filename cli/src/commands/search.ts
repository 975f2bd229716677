import type { SearchHit } from '../../../client/src/index.js';
import type { Command } from '../command.js';
import { given } from '../options.js';

/** Prefers what people recognize (a ref or a path) over the id. */
const nameOf = ({ kind, ref, path, id }: SearchHit): string =>
  (kind === 'card' || kind === 'board' ? ref : kind === 'lesson' ? path : undefined) ?? id;

const placeOf = ({ field, by, snippet }: SearchHit): string =>
  field === 'title' ? '' : `${field === 'comment' && by ? `comment by ${by}` : field}: ${snippet}`;

export const search: Command = {
  use: 'search <words...>',
  about:
    'Search cards, boards, people, agents, memories, lessons, builds and projects, or find a card by number.',
  examples: [
    'guildhall search login timeout',
    'guildhall search PB-322 --kind card',
    'guildhall search invoice --json',
  ],
  options: [
    ['--kind <kind>...', 'Only this kind: card, board, person, agent, memory, lesson, build or project'],
    ['--limit <n>', 'Maximum number of each kind'],
  ],
  async run({ args, options, out, service, signal }) {
    const fields = given({
      q: args.join(' '),
      kinds: options.many('kind')?.join(','),
      limit: options.whole('limit'),
    });
    const { groups, late } = await service().client.searchEverything(fields, { signal });
    out.list(
      groups.flatMap(({ hits }) => hits),
      [
        { title: 'kind', of: ({ kind }) => kind },
        { title: 'name', of: nameOf },
        { title: 'title', of: ({ title }) => title },
        { title: 'match', of: placeOf },
      ],
      'No results.',
    );
    if (late.length > 0) out.note(`Incomplete results: the search timed out for ${late.join(', ')}`);
  },
};
