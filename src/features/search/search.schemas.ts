import { type Static, Type } from 'typebox';
import { Closed, Named, OneOf, searchText, Uuid } from '../../platform/http/declaration/schemas.js';

/** In the order in which they are answered. */
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
  query: searchText("Words, the last perhaps unfinished; or a card's ref or number.", {
    minLength: 1,
    maxLength: 200,
    examples: ['login timeout', 'PB-322', '#322'],
  }),
  kinds: Type.Optional(
    Type.String({
      pattern: `^${anyKind}(,${anyKind})*$`,
      rule: `must be any of: ${SEARCH_KINDS.join(', ')}, comma-separated`,
      description: 'Only these, comma-separated.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 5, description: 'At most so many of each kind.' }),
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
    field: Type.String({ description: 'Such as title, instructions, comment, body.' }),
    snippet: Text,
    marks: Type.Array(Closed({ from: Type.Integer(), to: Type.Integer() }), {
      description: 'Of the words, in UTF-16 code units.',
    }),
    ref: Type.Optional(Text),
    status: Type.Optional(Text),
    by: Type.Optional(Type.String({ description: 'Who wrote the comment.' })),
    comment_id: Type.Optional(Uuid),
    board_id: Type.Optional(Uuid),
    task_id: Type.Optional(Uuid),
    agent_id: Type.Optional(Text),
    project_id: Type.Optional(Uuid),
    path: Type.Optional(Type.String()),
    within: Type.Optional(Type.String({ description: 'Its board, project or agent.' })),
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
        more: Type.Boolean({ description: 'There are more than `limit`.' }),
      }),
    ),
    searched: Type.Array(Kind, { description: 'Those asked for that you may see.' }),
    late: Type.Array(Kind, { description: 'Left out because they took too long.' }),
  }),
);
export type SearchAnswer = Static<typeof SearchAnswer>;
