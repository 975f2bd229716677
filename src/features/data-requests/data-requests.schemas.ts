import { Type } from 'typebox';
import { Closed, Named, OneOf, Timestamp } from '../../platform/http/declaration/schemas.js';
import { ProofCode } from '../identity/index.js';

const Listed = (description?: string) => Type.Array(Type.Object({}), description ? { description } : {});

export const PersonExport = Named(
  'PersonalData',
  Closed({
    exported_at: Timestamp,
    profile: Type.Object({}, {}),
    workspaces: Listed(),
    guest_access: Listed(),
    sessions: Listed(),
    sign_in: Listed(),
    tokens: Listed('Revoked ones too; never their text.'),
    invitations: Listed(),
    mail_addresses: Listed(),
    cards: Listed('Made by or assigned to them, as far as they can open them.'),
    comments: Listed(),
    attachments: Listed(),
    activity: Listed(),
    memory_changes: Listed('What they did to memories, without the texts.'),
    inbox: Listed(),
    saved_views: Listed(),
    review_comments: Listed(),
    audit: Listed('With addresses and credentials.'),
  }),
);

export const EraseMeBody = Named(
  'AccountErasure',
  Closed({
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'Your password, to be sure.' }),
    ),
    code: Type.Optional(ProofCode),
  }),
);

export const EraseWorkspaceBody = Named(
  'WorkspaceErasure',
  Closed({
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "The workspace's name, to be sure.",
    }),
  }),
);

export const ErasureAccepted = Named(
  'AcceptedErasure',
  Closed({ status: OneOf(['accepted'], { description: 'The job `erase` does the rest.' }) }),
);
