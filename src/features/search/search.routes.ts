import { type Static, Type } from 'typebox';
import type { MemberCaller } from '../../kernel/access.js';
import { memberAccess, type Route, route } from '../../platform/http/declaration/route.js';
import { Closed, Named, OneOf, searchText, Uuid } from '../../platform/http/declaration/schemas.js';

/** In the order of the groups in a response. */
export const SEARCH_KINDS = [
  'card',
  'board',
  'person',
  'agent',
  'memory',
  'lesson',
  'build',
  'project',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

const anyKind = `(${SEARCH_KINDS.join('|')})`;

export const SearchQuery = Type.Object({
  query: searchText("Words (the last one may be a prefix), or a card's ref or number.", {
    minLength: 1,
    maxLength: 200,
    examples: ['login timeout', 'PB-322', '#322'],
  }),
  kinds: Type.Optional(
    Type.String({
      pattern: `^${anyKind}(,${anyKind})*$`,
      rule: `must be any of: ${SEARCH_KINDS.join(', ')}, comma-separated`,
      description: 'Only these kinds, comma-separated. Default: all.',
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 50,
    default: 5,
    description: 'Maximum number of hits of each kind.',
  }),
});
export type SearchQuery = Static<typeof SearchQuery>;

const Kind = Named('SearchKind', OneOf(SEARCH_KINDS));
const Text = Type.String();

export const SearchHit = Named(
  'SearchHit',
  Closed({
    kind: Kind,
    id: Type.String(),
    title: Text,
    field: Type.String({
      description: 'Field that the snippet comes from, such as `title`, `instructions`, `comment` or `body`.',
    }),
    snippet: Text,
    marks: Type.Array(Closed({ from: Type.Integer(), to: Type.Integer() }), {
      description: 'Positions of the words in the snippet, in UTF-16 code units.',
    }),
    ref: Type.Optional(Text),
    status: Type.Optional(Text),
    by: Type.Optional(Type.String({ description: 'Author of the comment.' })),
    comment_id: Type.Optional(Uuid),
    board_id: Type.Optional(Uuid),
    task_id: Type.Optional(Uuid),
    agent_id: Type.Optional(Text),
    project_id: Type.Optional(Uuid),
    path: Type.Optional(Type.String()),
    within: Type.Optional(
      Type.String({ description: 'Name of its board or project, or the id of its agent.' }),
    ),
  }),
);
export type SearchHit = Static<typeof SearchHit>;

export const SearchAnswer = Named(
  'SearchAnswer',
  Closed({
    groups: Type.Array(
      Closed({
        kind: Kind,
        hits: Type.Array(SearchHit),
        more: Type.Boolean({ description: 'Whether more than `limit` hits exist.' }),
      }),
    ),
    searched: Type.Array(Kind, { description: 'Requested kinds that you may see.' }),
    late: Type.Array(Kind, { description: 'Kinds left out because they took too long.' }),
  }),
);
export type SearchAnswer = Static<typeof SearchAnswer>;

export interface SearchCalls {
  search(caller: MemberCaller, query: SearchQuery): Promise<SearchAnswer>;
}

export const searchRoutes = ({ search }: SearchCalls): Route[] => [
  route({
    name: 'search_everything',
    method: 'GET',
    path: '/api/v1/search',
    summary: 'Search the workspace',
    description:
      'Finds cards, boards, people, agents, memories, lessons, builds and projects that you can open, grouped by kind.',
    mayLag: true,
    tags: ['Search'],
    access: memberAccess({ role: 'guest' }),
    query: SearchQuery,
    responses: { 200: SearchAnswer },
    errors: [],
    handler: ({ caller, query }) => search(caller, query),
  }),
];
