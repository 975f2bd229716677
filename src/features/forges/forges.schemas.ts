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
  label: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Open issues with this label become cards.',
  }),
  board_id: Type.Optional(
    Nullable(BoardId, {
      description: "The board of the new cards, by key or id. Default: the board with the project's name.",
    }),
  ),
};

export const ForgeInput = Named(
  'ForgeInput',
  Closed({
    kind: OneOf(FORGE_KINDS, { description: 'The kind of host.' }),
    api_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description:
          "The address of the host's API: https, or http on loopback. Default: derived from the project's repository_url.",
      }),
    ),
    repository: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: '`owner/name`. Default: derived from the repository_url.',
      }),
    ),
    token: Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'The access token. Checked before it is stored and never returned.',
    }),
    issues: Type.Optional(
      Nullable(Closed(IssueRule), {
        description: 'Turns issues into cards. Null or absent: no issues are read.',
      }),
    ),
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
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'The address of the pull request. Send either this or `number`.',
      }),
    ),
    number: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'The number of the pull request. Send either this or `url`.',
      }),
    ),
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
