import { type Static, Type } from 'typebox';
import { Closed, Named, Nullable, OneOf, Timestamp, Uuid } from '../../platform/http/declaration/schemas.js';

export const RepositoryInput = Named(
  'RepositoryInput',
  Closed({
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'https or ssh; an admin may name a local path of the server.',
    }),
    branch: Type.Optional(
      Nullable(Type.String({ maxLength: 200 }), {
        description: "Null or left out: the repository's default.",
      }),
    ),
  }),
);

export const ProjectInput = Named(
  'ProjectInput',
  Closed({
    name: Type.String({ minLength: 1, maxLength: 255, description: 'Its name.' }),
    repository: Type.Optional(
      Nullable(RepositoryInput, { description: 'Where its code is; can be attached later.' }),
    ),
  }),
);
export type ProjectInput = Static<typeof ProjectInput>;

export const ProjectChange = Named(
  'ProjectChange',
  Closed({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Its name.' })),
    repository: Type.Optional(
      Nullable(RepositoryInput, { description: 'Where its code is; null detaches it.' }),
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
        host_key: Nullable(Type.String({ description: 'Of an ssh host, pinned when first met' })),
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
    public_key: Type.String({ description: 'To be added at the host, with leave to read' }),
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
      description: "The workspace's key, its own, or a token for https.",
    }),
    username: Type.Optional(
      Type.String({
        pattern: '^[^\\x00-\\x1f\\x7f:]{1,255}$',
        rule: 'must have 1 to 255 characters, none of them a colon',
        description: 'Goes with the token; x-access-token unless said.',
      }),
    ),
    token: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,4096}$',
        rule: 'must have 1 to 4096 visible ASCII characters',
        description: 'Never shown; sent to the present host only.',
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
    former_fingerprint: Nullable(Type.String({ description: 'Tried until the new one has worked' })),
    username: Nullable(Type.String()),
    host: Nullable(Type.String({ description: 'Where the token goes, and nowhere else' })),
    created_at: Nullable(Timestamp),
    used_at: Nullable(Timestamp),
  }),
);
export type CredentialView = Static<typeof CredentialView>;

export const HostKeyView = Named(
  'HostKey',
  Closed({
    host: Type.String({ description: 'With its port unless 22: `[git.example]:2222`' }),
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
      description: 'Larger than what is read of one; warnings say what was left out.',
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
      description: 'This path: a folder ends with `/`, a symbol is `<file>#<Symbol.name>`.',
    }),
  ),
  prefix: Type.Optional(Type.String({ description: 'Only paths that begin so.' })),
  kind: Type.Optional(OneOf(['folder', 'file', 'symbol'], { description: 'Only nodes of this kind.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'At most so many; 100 unless said.' }),
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
