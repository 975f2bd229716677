import { type Static, Type } from 'typebox';
import { Actor, Closed, Named, Nullable, Timestamp } from '../../../platform/http/declaration/schemas.js';

export const LARGEST_PAGE = 200;

export const WorkspaceAuditQuery = Type.Object({
  actor: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Only what this person did, by their user_id.',
    }),
  ),
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only this action, such as `member.removed`.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LARGEST_PAGE, description: 'How many on a page.' }),
  ),
});

const WorkspaceAuditEntry = Named(
  'WorkspaceAuditEntry',
  Closed({
    id: Type.String(),
    at: Timestamp,
    actor: Nullable(Actor, {
      description: 'Who did it; null: the operator, a machine or nobody known.',
    }),
    action: Type.String(),
    subject: Type.String(),
    address: Nullable(Type.String({ description: 'Of the client; null: the service itself.' })),
    credential: Nullable(
      Type.String({ description: '`session:<id>`, `pat:<token_id>`, `desk:<id>` or `admin_key`.' }),
    ),
  }),
);
export type WorkspaceAuditEntry = Static<typeof WorkspaceAuditEntry>;

export const WorkspaceAuditPage = Named(
  'WorkspaceAuditPage',
  Closed({ entries: Type.Array(WorkspaceAuditEntry), next_cursor: Nullable(Type.String()) }),
);
