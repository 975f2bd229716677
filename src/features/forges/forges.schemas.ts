import { type Static, Type } from 'typebox';
import {
  Actor,
  Closed,
  Named,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';
import { BoardId } from '../boards/index.js';
import { CHECK_STATES, FORGE_KINDS, PULL_STATES } from './adapter/forge.js';

const IssueRule = {
  label: Type.String({ minLength: 1, maxLength: 255, description: 'Issues that carry it become cards.' }),
  board_id: Type.Optional(
    Nullable(BoardId, { description: "By key or id; left out: a board of the project's name." }),
  ),
};

export const ForgeInput = Named(
  'ForgeInput',
  Closed({
    kind: OneOf(FORGE_KINDS, { description: 'What the host speaks.' }),
    api_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: "https, or http on loopback; left out, from the repository's address.",
      }),
    ),
    repository: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: '`owner/name`; left out, as above.' }),
    ),
    token: Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'Tried before it is kept; never shown.',
    }),
    issues: Type.Optional(Nullable(Closed(IssueRule), { description: 'Null or left out: none.' })),
  }),
);
export type ForgeInput = Static<typeof ForgeInput>;

export const ForgeView = Named(
  'Forge',
  Closed({
    kind: OneOf(FORGE_KINDS),
    api_url: Type.String(),
    repository: Type.String(),
    default_branch: Type.String(),
    issues: Nullable(Closed({ label: Type.String(), board_id: Nullable(Uuid) })),
    hook: Closed({ url: Type.String(), secret_set: Type.Boolean(), last_at: Nullable(Timestamp) }),
    checked_at: Nullable(Timestamp),
    error: Nullable(Type.String()),
    connected_by: Nullable(Actor),
    connected_at: Timestamp,
  }),
);
export type ForgeView = Static<typeof ForgeView>;

export const HookSecret = Named('HookSecret', Closed({ secret: Type.String() }));

export const PullRequestInput = Named(
  'PullRequestInput',
  Closed({
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Its address, or …' })),
    number: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: '… its number.' })),
  }),
);
export type PullRequestInput = Static<typeof PullRequestInput>;

const End = Closed({ branch: Type.String(), sha: Nullable(Type.String()) });

export const PullRequestView = Named(
  'PullRequest',
  Closed({
    number: Type.Integer(),
    url: Type.String(),
    state: OneOf(PULL_STATES),
    draft: Type.Boolean(),
    head: End,
    base: End,
    mergeable: Nullable(Type.Boolean()),
    checks: Type.Array(
      Closed({
        name: Type.String(),
        state: OneOf(CHECK_STATES),
        url: Nullable(Type.String()),
        summary: Nullable(Type.String()),
      }),
    ),
    reviews: Type.Array(
      Closed({
        author: Type.String(),
        state: OneOf(['approved', 'changes_requested', 'commented', 'dismissed']),
        body: Type.String(),
        at: Timestamp,
      }),
    ),
    comments: Type.Array(
      Closed({
        path: Type.String(),
        line: Nullable(Type.Integer()),
        author: Type.String(),
        body: Type.String(),
        at: Timestamp,
      }),
    ),
    seen_at: Nullable(Timestamp),
  }),
);
export type PullRequestView = Static<typeof PullRequestView>;
