import { Type } from 'typebox';
import { Closed, Named, OneOf, Timestamp } from '../../http/declaration/schemas.js';
import { ProofCode } from '../identity/identity.schemas.js';

const Listed = (description: string) => Type.Array(Type.Object({}), { description });

export const PersonExport = Named(
  'PersonalData',
  Closed({
    exported_at: Timestamp,
    profile: Type.Object({}, { description: 'Name, address and kind of the account.' }),
    workspaces: Listed('Where the person is or was a member, with role, position and photo.'),
    guest_access: Listed('What they can open as a guest.'),
    sessions: Listed('Where they are signed in; never the secret of a session.'),
    sign_in: Listed('Two-factor sign-in and providers by which they sign in; never a secret.'),
    tokens: Listed('Their access tokens, revoked ones too; never their text.'),
    invitations: Listed('Invitations to their address.'),
    mail_addresses: Listed('Every name of theirs on the mail domain.'),
    cards: Listed('Cards they made or are assigned to, as far as they can open them.'),
    comments: Listed('What they wrote on cards.'),
    activity: Listed('What they did on boards.'),
    memory_changes: Listed('What they did to memories, without the texts: those are the workspace’s.'),
    inbox: Listed('What waits or waited for them.'),
    saved_views: Listed('The views they keep.'),
    review_comments: Listed('What they said to builds.'),
    audit: Listed('What the audit has of them, with addresses and credentials.'),
  }),
);

export const EraseMeBody = Named(
  'AccountErasure',
  Closed({
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'Your password, to be sure it is you.' }),
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
      description: 'The name of the workspace, to be sure it is this one.',
    }),
  }),
);

export const ErasureAccepted = Named(
  'AcceptedErasure',
  Closed({ status: OneOf(['accepted'], { description: 'The job `erase` does the rest.' }) }),
);
