import { type Static, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp, Uuid } from '../../http/schemas.js';

export const RepositoryInput = Closed({
  url: Type.String({ minLength: 1, maxLength: 2000 }),
  branch: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
});

export const ProjectInput = Closed({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  repository: Type.Optional(Nullable(RepositoryInput)),
});
export type ProjectInput = Static<typeof ProjectInput>;

export const ProjectChange = Closed({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  repository: Type.Optional(Nullable(RepositoryInput)),
});
export type ProjectChange = Static<typeof ProjectChange>;

export const ProjectView = Closed({
  project_id: Uuid,
  name: Type.String(),
  repository: Nullable(Closed({ url: Type.String(), branch: Nullable(Type.String()) })),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ProjectView = Static<typeof ProjectView>;

export const ProjectList = Closed({ projects: Type.Array(ProjectView), total: Type.Integer() });

export const IndexStatus = OneOf(['queued', 'running', 'ready', 'failed']);

export const IndexRequested = Closed({ index_id: Uuid, status: IndexStatus });

export const IndexView = Closed({
  index_id: Uuid,
  status: IndexStatus,
  commit: Nullable(Type.String()),
  files: Type.Integer(),
  nodes: Type.Integer(),
  edges: Type.Integer(),
  lessons: Type.Integer(),
  warnings: Type.Array(Type.String()),
  progress: Nullable(Closed({ phase: Type.String(), done: Type.Integer(), total: Type.Integer() })),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  error: Nullable(Type.String()),
});
export type IndexView = Static<typeof IndexView>;

export const NodeQuery = Type.Object({
  path: Type.Optional(Type.String()),
  prefix: Type.Optional(Type.String()),
  kind: Type.Optional(OneOf(['folder', 'file', 'symbol'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
});
export type NodeQuery = Static<typeof NodeQuery>;

export const NodeView = Closed({
  node_id: Uuid,
  kind: OneOf(['folder', 'file', 'symbol']),
  path: Type.String(),
  symbol: Nullable(Type.String()),
  live: Type.Boolean(),
});
export type NodeView = Static<typeof NodeView>;

export const NodeList = Closed({ items: Type.Array(NodeView), total: Type.Integer() });
