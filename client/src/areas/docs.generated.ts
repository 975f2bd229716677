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
  /** Its name. */
  name: string;
}

export interface GetDocsSpaceArguments {
  /** As list_docs_spaces shows it. */
  space_id: string;
}

export interface InviteDocsSpaceGuestArguments {
  /** As list_docs_spaces shows it. */
  space_id: string;
  /** Only its owner can accept. */
  email: string;
  /** The level. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface PutDocsSpaceGuestArguments {
  /** As list_docs_spaces shows it. */
  space_id: string;
  /** A person outside the workspace. */
  user_id: number;
  /** The level. */
  role: 'viewer' | 'commenter' | 'editor';
}

export interface RemoveDocsSpaceGuestArguments {
  /** As list_docs_spaces shows it. */
  space_id: string;
  /** The guest, as list_guests shows them. */
  user_id: number;
}

export interface DocsMethods {
  /**
   * Create a docs space.
   * Add guests with put_docs_space_guest.
   */
  createDocsSpace(fields: CreateDocsSpaceArguments, options?: CallOptions): Promise<DocsSpace>;

  /**
   * List docs spaces.
   * A guest sees those they were invited to.
   */
  listDocsSpaces(fields?: NoArguments, options?: CallOptions): Promise<DocsSpaceList>;

  /**
   * Read a docs space.
   * Returns the name of one docs space.
   */
  getDocsSpace(fields: GetDocsSpaceArguments, options?: CallOptions): Promise<DocsSpace>;

  /**
   * Invite a guest to a docs space by e-mail.
   * Mails a link. Boards and spaces join one pending invitation, which ends with the last of them. Admins
   * only.
   */
  inviteDocsSpaceGuest(fields: InviteDocsSpaceGuestArguments, options?: CallOptions): Promise<Invitation>;

  /**
   * Add a guest to a docs space or change their level.
   * `viewer` reads, `commenter` also comments, `editor` also writes. Admins only.
   */
  putDocsSpaceGuest(fields: PutDocsSpaceGuestArguments, options?: CallOptions): Promise<DocsGuest>;

  /**
   * Remove a guest from a docs space.
   * A guest who loses their last board or space also loses their sessions and pending invitation. Admins
   * only.
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
