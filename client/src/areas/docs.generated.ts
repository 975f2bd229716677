// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { Invitation } from './shared.generated.js';

export interface DocsGuest {
  space_id: string;
  user_id: number;
  email: string;
  full_name: string;
  role: 'viewer' | 'commenter' | 'editor';
  created_at: string;
}

export interface DocsSpace {
  space_id: string;
  name: string;
}

export interface DocsSpaceList {
  spaces: DocsSpace[];
  total: number;
}

export interface CreateDocsSpaceArguments {
  /** What people call the space. It must not be blank. */
  name: string;
}

export interface GetDocsSpaceArguments {
  /** The docs space, as list_docs_spaces shows its space_id. */
  space_id: string;
}

export interface InviteDocsSpaceGuestArguments {
  /** The docs space, as list_docs_spaces shows its space_id. */
  space_id: string;
  /** The address of the person to invite; only whoever holds it can accept. It must be an e-mail address. */
  email: string;
  /** What the guest may do there. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface PutDocsSpaceGuestArguments {
  /** The docs space, as list_docs_spaces shows its space_id. */
  space_id: string;
  /** The person: somebody outside the workspace. */
  user_id: number;
  /** What the guest may do in it. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface RemoveDocsSpaceGuestArguments {
  /** The docs space, as list_docs_spaces shows its space_id. */
  space_id: string;
  /** The guest, as list_guests shows their user_id. */
  user_id: number;
}

export interface DocsMethods {
  /**
   * Make a docs space.
   * Answers the space with its `space_id`. Guests are let in with put_docs_space_guest.
   */
  createDocsSpace(fields: CreateDocsSpaceArguments, options?: CallOptions): Promise<DocsSpace>;

  /**
   * List docs spaces.
   * The docs spaces of the workspace, with their `space_id`; a guest sees the ones they were invited to.
   */
  listDocsSpaces(fields?: NoArguments, options?: CallOptions): Promise<DocsSpaceList>;

  /**
   * Read a docs space.
   * The name of one docs space.
   */
  getDocsSpace(fields: GetDocsSpaceArguments, options?: CallOptions): Promise<DocsSpace>;

  /**
   * Invite somebody outside the workspace to a docs space by e-mail.
   * Mails a link; the person becomes a guest by accepting. Several boards and spaces join one pending
   * invitation, which ends when the last of them goes. Admins only.
   */
  inviteDocsSpaceGuest(fields: InviteDocsSpaceGuestArguments, options?: CallOptions): Promise<Invitation>;

  /**
   * Let somebody outside the workspace into a docs space, or change their level.
   * `viewer` reads, `commenter` also comments, `editor` also writes. Admins only.
   */
  putDocsSpaceGuest(fields: PutDocsSpaceGuestArguments, options?: CallOptions): Promise<DocsGuest>;

  /**
   * Close a docs space to a guest.
   * With the last board or space that they can open, their session and a pending invitation end. Admins only.
   */
  removeDocsSpaceGuest(fields: RemoveDocsSpaceGuestArguments, options?: CallOptions): Promise<void>;
}

export const docs = {
  createDocsSpace: {
    method: 'POST',
    path: '/api/v1/docs/spaces',
    body: ['name'],
    needsBody: true,
    creates: true,
  },
  listDocsSpaces: { method: 'GET', path: '/api/v1/docs/spaces' },
  getDocsSpace: { method: 'GET', path: '/api/v1/docs/spaces/{space_id}' },
  inviteDocsSpaceGuest: {
    method: 'POST',
    path: '/api/v1/docs/spaces/{space_id}/guests',
    body: ['email', 'role'],
    needsBody: true,
    creates: true,
  },
  putDocsSpaceGuest: {
    method: 'PUT',
    path: '/api/v1/docs/spaces/{space_id}/guests/{user_id}',
    body: ['role'],
    needsBody: true,
  },
  removeDocsSpaceGuest: {
    method: 'DELETE',
    path: '/api/v1/docs/spaces/{space_id}/guests/{user_id}',
    answer: 'nothing',
  },
} as const satisfies Record<string, Operation>;
