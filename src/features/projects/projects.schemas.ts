import { type Static, Type } from 'typebox';
import {
  CHECK_COMMAND,
  CHECK_NAME,
  type ChecksDefinition,
  DEFAULT_MINUTES,
  MOST_CHECKS,
  MOST_MINUTES,
} from '../../../packages/protocol/checks-file.js';
import { Closed, Named, Nullable, OneOf, Timestamp, Uuid } from '../../platform/http/declaration/schemas.js';

export const RepositoryInput = Named(
  'RepositoryInput',
  Closed({
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'https or ssh address. Admins may also use a local path of the server.',
    }),
    branch: Type.Optional(
      Nullable(Type.String({ maxLength: 200 }), {
        description: "The branch to index; null or left out uses the repository's default.",
      }),
    ),
  }),
);

export const ProjectInput = Named(
  'ProjectInput',
  Closed({
    name: Type.String({ minLength: 1, maxLength: 255, description: 'Name of the project.' }),
    repository: Type.Optional(
      Nullable(RepositoryInput, { description: 'Its repository, which you can also attach later.' }),
    ),
  }),
);
export type ProjectInput = Static<typeof ProjectInput>;

export const ProjectChange = Named(
  'ProjectChange',
  Closed({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Name of the project.' })),
    repository: Type.Optional(
      Nullable(RepositoryInput, { description: 'Its repository; null detaches it.' }),
    ),
  }),
);
export type ProjectChange = Static<typeof ProjectChange>;

export const ProjectView = Named(
  'Project',
  Closed({
    project_id: Uuid,
    name: Type.String(),
    repository: Nullable(
      Closed({
        url: Type.String(),
        branch: Nullable(Type.String()),
        host_key: Nullable(Type.String({ description: 'Pinned key of an ssh host' })),
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type ProjectView = Static<typeof ProjectView>;

export const ProjectList = Named(
  'ProjectList',
  Closed({ projects: Type.Array(ProjectView), total: Type.Integer() }),
);

export const DeployKeyView = Named(
  'DeployKey',
  Closed({
    public_key: Type.String({ description: 'Add it at the host with read access' }),
    fingerprint: Type.String(),
    created_at: Timestamp,
  }),
);
export type DeployKeyView = Static<typeof DeployKeyView>;

export const CREDENTIAL_KINDS = ['workspace', 'deploy_key', 'token'] as const;

export const CredentialInput = Named(
  'RepositoryCredentialsInput',
  Closed({
    kind: OneOf(CREDENTIAL_KINDS, {
      description: "The workspace's key, a deploy key of its own, or a token for https.",
    }),
    username: Type.Optional(
      Type.String({
        pattern: '^[^\\x00-\\x1f\\x7f:]{1,255}$',
        rule: 'must have 1 to 255 characters, none of them a colon',
        description: 'User name to send with the token; default x-access-token.',
      }),
    ),
    token: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,4096}$',
        rule: 'must have 1 to 4096 visible ASCII characters',
        description: 'Never returned; sent only to the host of the current repository.',
      }),
    ),
  }),
);
export type CredentialInput = Static<typeof CredentialInput>;

export const CredentialView = Named(
  'RepositoryCredentials',
  Closed({
    kind: OneOf(CREDENTIAL_KINDS),
    public_key: Nullable(Type.String()),
    fingerprint: Nullable(Type.String()),
    former_fingerprint: Nullable(Type.String({ description: 'Old key, tried until the new one has worked' })),
    username: Nullable(Type.String()),
    host: Nullable(Type.String({ description: 'The only host the token is sent to' })),
    created_at: Nullable(Timestamp),
    used_at: Nullable(Timestamp),
  }),
);
export type CredentialView = Static<typeof CredentialView>;

export const HostKeyView = Named(
  'HostKey',
  Closed({
    host: Type.String({ description: 'Host, with its port unless 22: `[git.example]:2222`' }),
    host_key: Type.String(),
    pinned_at: Timestamp,
  }),
);
export type HostKeyView = Static<typeof HostKeyView>;

export const HostKeyList = Named(
  'HostKeyList',
  Closed({ host_keys: Type.Array(HostKeyView), total: Type.Integer() }),
);

export const IndexStatus = OneOf(['queued', 'running', 'ready', 'failed']);

export const IndexRequested = Named('RequestedIndex', Closed({ index_id: Uuid, status: IndexStatus }));

export const IndexView = Named(
  'CodeIndex',
  Closed({
    index_id: Uuid,
    status: IndexStatus,
    commit: Nullable(Type.String()),
    files: Type.Integer(),
    nodes: Type.Integer(),
    edges: Type.Integer(),
    lessons: Type.Integer(),
    warnings: Type.Array(Type.String()),
    truncated: Type.Boolean({
      description: 'Whether the repository exceeds the limits; warnings say what was left out.',
    }),
    progress: Nullable(Closed({ phase: Type.String(), done: Type.Integer(), total: Type.Integer() })),
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
    error: Nullable(Type.String()),
  }),
);
export type IndexView = Static<typeof IndexView>;

export const NodeQuery = Type.Object({
  path: Type.Optional(
    Type.String({
      description: 'Exact path: a folder ends with `/`, a symbol is `<file>#<Symbol.name>`.',
    }),
  ),
  prefix: Type.Optional(Type.String({ description: 'Only paths with this prefix.' })),
  kind: Type.Optional(OneOf(['folder', 'file', 'symbol'], { description: 'Only nodes of this kind.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Maximum number of nodes; default 100.' }),
  ),
});
export type NodeQuery = Static<typeof NodeQuery>;

export const NodeView = Named(
  'CodeNode',
  Closed({
    node_id: Uuid,
    kind: OneOf(['folder', 'file', 'symbol']),
    path: Type.String(),
    symbol: Nullable(Type.String()),
    live: Type.Boolean(),
  }),
);
export type NodeView = Static<typeof NodeView>;

export const NodeList = Named('CodeNodeList', Closed({ items: Type.Array(NodeView), total: Type.Integer() }));

const step = {
  command: Type.String({ ...CHECK_COMMAND, description: 'Command, run by `sh -c`.' }),
  minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_MINUTES,
      default: DEFAULT_MINUTES,
      description: 'Time limit in minutes.',
    }),
  ),
};

export const CheckSetup = Named('CheckSetup', Closed(step));

const CheckName = Type.String({ ...CHECK_NAME, description: 'Unique name.' });

const Check = Named('ProjectCheck', Closed({ name: CheckName, ...step }));

export const CardChecks = Type.Array(Check, { maxItems: 10 });

/** The same form as `.guildhall/checks.yaml`. Responses contain every field. */
export const ProjectChecks = Named(
  'ProjectChecks',
  Closed({
    checks: Type.Optional(
      Type.Array(Check, {
        maxItems: MOST_CHECKS,
        default: [],
        description: 'Checks a build must pass, in order.',
      }),
    ),
    setup: Type.Optional(
      Nullable(CheckSetup, { description: 'Runs in a checkout before the coder, and before the checks.' }),
    ),
    required: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether a failed check holds the build; default true.' }),
    ),
  }),
);
export type ProjectChecksInput = Static<typeof ProjectChecks>;

export type ProjectChecks = ChecksDefinition;
