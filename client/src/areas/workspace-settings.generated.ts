// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { Actor, Invitation, ScopeCeiling, WorkspaceName } from './shared.generated.js';

export interface Done {
  success: boolean;
  message: string;
}

export interface FeatureSwitch {
  on: boolean;
  /** The plan lacks it; it cannot be turned on */
  locked_by_plan: boolean;
  source: 'plan_default' | 'data_default' | 'admin';
  changed_by: Actor | null;
  changed_at: string | null;
  holds: Record<string, number>;
}

export interface Features {
  new_navigation: boolean;
  switches: {
    skills: FeatureSwitch;
    feed: FeatureSwitch;
    machines: FeatureSwitch;
    crm: FeatureSwitch;
  };
}

export interface Guest {
  user_id: number;
  email: string;
  full_name: string;
  image: string | null;
  access: GuestAccess[];
}

export interface GuestAccess {
  kind: 'board' | 'docs';
  resource_id: string;
  name: string;
  role: string | null;
}

export interface GuestList {
  guests: Guest[];
  total: number;
}

export interface InvitationList {
  invitations: Invitation[];
  total: number;
}

export interface MailAddress {
  address: string;
  forwards: {
    address: string;
    until: string;
  }[];
}

export interface MailNameAvailability {
  name: string;
  domain: string;
  available: boolean;
}

export interface Member {
  user_id: number;
  email: string;
  full_name: string;
  role: 'admin' | 'member';
  position: string | null;
  /** Its address. */
  photo: string | null;
  joined_at: string;
}

export interface MemberList {
  members: Member[];
  total: number;
}

export interface OwnWorkspace {
  brand_id: number;
  name: string;
  plan: 'free' | 'team' | 'business' | 'enterprise';
  created_at: string;
  require_mfa: boolean;
  timezone: string;
  scope_ceiling: ScopeCeiling;
}

export interface Photo {
  photo: string | null;
}

export interface RemovedGuest {
  success: boolean;
  boards_removed: number;
  docs_removed: number;
}

export interface RenamedMailAddress {
  address: string;
  forwarding_from: string;
  forwards_until: string;
}

/** Monday of the week, in UTC */
export type Week = string;

export interface WorkspaceAuditEntry {
  id: string;
  at: string;
  /** The person or agent. Null: the operator, a machine or unknown. */
  actor: Actor | null;
  action: string;
  subject: string;
  /** Of the client; null: the service itself. */
  address: string | null;
  /** `session:<id>`, `pat:<token_id>`, `desk:<id>` or `admin_key`. */
  credential: string | null;
}

export interface WorkspaceAuditPage {
  entries: WorkspaceAuditEntry[];
  next_cursor: string | null;
}

export interface WorkspaceFigures {
  /** Oldest first; the last week is the current one. */
  weeks: Week[];
  cards: {
    week: Week;
    made: number;
    /** Cards completed in that week that are still done */
    done: number;
  }[];
  /** One item per coder and week; coders without builds are left out. */
  builds: {
    week: Week;
    coder: string;
    /** Builds requested in that week */
    builds: number;
    succeeded: number;
    tokens_in: number;
    tokens_out: number;
    cost_usd: number;
  }[];
  memories: {
    week: Week;
    /** Memories in use at the end of the week */
    total: number;
  }[];
  /** Sorted by name; at most 200. */
  desks: {
    workstation_id: string;
    name: string;
    /** Share of its lifetime in which it was ready, 0 to 1 */
    ready_share: number;
    /** The last 14 days, including today. */
    days: {
      day: string;
      ready_minutes: number;
    }[];
  }[];
}

export interface GetWorkspaceArguments {
  /** The credential's workspace. */
  brand_id: number;
}

export interface ChangeWorkspaceArguments {
  /** The credential's workspace. */
  brand_id: number;
  name?: WorkspaceName;
  /** true: without two-factor sign-in people, and their tokens, can do nothing here but set it up. */
  require_mfa?: boolean;
  /** Where days and months of budgets begin, for example Europe/Berlin. */
  timezone?: string;
}

export interface ListWorkspaceAuditArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** Only what this person did, by their user_id. */
  actor?: number;
  /** Only this action, such as `member.removed`. */
  action?: string;
  /** `next_cursor` of the page before. */
  cursor?: string;
  /** How many on a page. */
  limit?: number;
}

export interface GetFeaturesArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The form of the answer, json unless said; the facts are the same. */
  format?: 'yaml' | 'md';
}

export interface SetFeatureArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** As get_features names it. */
  key: 'skills' | 'feed' | 'machines' | 'crm';
  /** true shows the feature, false hides it. */
  on: boolean;
}

export interface GetWorkspaceFiguresArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** Number of weeks, up to and including the current one. */
  weeks?: number;
}

export interface ListGuestsArguments {
  /** The credential's workspace. */
  brand_id: number;
}

export interface RemoveGuestArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The guest, as list_guests shows them. */
  user_id: number;
}

export interface InviteGuestAsMemberArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The guest, as list_guests shows them. */
  user_id: number;
}

export interface InviteMemberArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** Only its owner can accept. */
  email: string;
  /** Their role then. */
  role: 'admin' | 'member';
}

export interface ListInvitationsArguments {
  /** The credential's workspace. */
  brand_id: number;
}

export interface RevokeInvitationArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** As list_invitations shows it. */
  invitation_id: number;
}

export interface ListMembersArguments {
  /** The credential's workspace. */
  brand_id: number;
}

export interface GetMemberArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The member, as list_members shows them. */
  user_id: number;
}

export interface UpdateMemberArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The member, as list_members shows them. */
  user_id: number;
  /** `admin` or `member` */
  role?: unknown;
  /** Their part in the team; null clears it. */
  position?: string | null;
}

export interface RemoveMemberArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The member, as list_members shows them. */
  user_id: number;
}

export interface GetMemberPhotoArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The member, as list_members shows them. */
  user_id: number;
}

export interface SetMemberPhotoArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The member, as list_members shows them. */
  user_id: number;
  /** PNG, JPG or GIF, up to 5 MB */
  file: Blob;
}

export interface RemoveMemberPhotoArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The member, as list_members shows them. */
  user_id: number;
}

export interface SendPasswordResetArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The member, as list_members shows them. */
  user_id: number;
}

export interface SetMemberPasswordArguments {
  /** The credential's workspace. */
  brand_id: number;
  /** The member, as list_members shows them. */
  user_id: number;
  /** The new password. */
  password: string;
  /** Whether to notify them by mail. */
  send_email?: boolean;
}

export interface RenameMailAddressArguments {
  /** The part before the @ from now on. */
  name: string;
}

export interface CheckMailNameArguments {
  /** The part before the @. */
  name: string;
}

export interface WorkspaceSettingsMethods {
  /**
   * Get the workspace.
   * Returns its plan and whether it requires two-factor sign-in. (`brand:read`)
   */
  getWorkspace(fields: GetWorkspaceArguments, options?: CallOptions): Promise<OwnWorkspace>;

  /**
   * Change the workspace's name, time zone or two-factor requirement.
   * Absent fields stay. Takes effect at once on every node. (`brand:admin`) Admins only.
   */
  changeWorkspace(fields: ChangeWorkspaceArguments, options?: CallOptions): Promise<OwnWorkspace>;

  /**
   * List the audit log of the workspace.
   * Changes and successful and failed sign-ins, newest first, with address and credential. (`brand:admin`)
   * Admins only.
   */
  listWorkspaceAudit(fields: ListWorkspaceAuditArguments, options?: CallOptions): Promise<WorkspaceAuditPage>;

  /**
   * Read the feature switches of the workspace.
   * Returns whether each is on, why, who set it and when, and what it holds. (`brand:read`)
   */
  getFeatures(
    fields: GetFeaturesArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  getFeatures(fields: GetFeaturesArguments, options?: CallOptions): Promise<Features>;

  /**
   * Turn a feature on or off.
   * Turning it off hides it from the dashboard and deletes nothing. (`brand:admin`) Admins only.
   */
  setFeature(fields: SetFeatureArguments, options?: CallOptions): Promise<Features>;

  /**
   * Get weekly statistics of the workspace.
   * Counts of cards, builds and memories by week, and the availability of desks. (`brand:read`)
   */
  getWorkspaceFigures(fields: GetWorkspaceFiguresArguments, options?: CallOptions): Promise<WorkspaceFigures>;

  /**
   * List the guests of the workspace.
   * People outside the workspace, and what they can open. (`brand:admin`) Admins only.
   */
  listGuests(fields: ListGuestsArguments, options?: CallOptions): Promise<GuestList>;

  /**
   * Remove a guest from every board and docs space.
   * Their texts stay. A pending invitation is revoked. (`brand:admin`) Admins only.
   */
  removeGuest(fields: RemoveGuestArguments, options?: CallOptions): Promise<RemovedGuest>;

  /**
   * Invite a guest to become a member.
   * Mails a link. They keep their access until they accept. (`brand:admin`) Admins only.
   */
  inviteGuestAsMember(fields: InviteGuestAsMemberArguments, options?: CallOptions): Promise<Invitation>;

  /**
   * Invite a person to the workspace by e-mail.
   * Mails a link, good for seven days. Only the address's owner can accept. (`brand:admin`) Admins only.
   */
  inviteMember(fields: InviteMemberArguments, options?: CallOptions): Promise<Invitation>;

  /**
   * List invitations, newest first.
   * Pending, accepted, revoked and expired ones. (`brand:admin`) Admins only.
   */
  listInvitations(fields: ListInvitationsArguments, options?: CallOptions): Promise<InvitationList>;

  /**
   * Revoke a pending invitation.
   * Its link stops working at once. (`brand:admin`) Admins only.
   */
  revokeInvitation(fields: RevokeInvitationArguments, options?: CallOptions): Promise<void>;

  /**
   * List the members of the workspace.
   * With their role. A `user_id` can be a card's assignee. (`brand:read`)
   */
  listMembers(fields: ListMembersArguments, options?: CallOptions): Promise<MemberList>;

  /**
   * Read a member.
   * Returns role, position and photo. (`brand:read`)
   */
  getMember(fields: GetMemberArguments, options?: CallOptions): Promise<Member>;

  /**
   * Change a member's role or position.
   * Absent fields stay. A position of null clears it. (`brand:admin`) Admins only.
   */
  updateMember(fields: UpdateMemberArguments, options?: CallOptions): Promise<{
    success: boolean;
  }>;

  /**
   * Remove a member from the workspace.
   * Ends their sessions, tokens and streams in this workspace. (`brand:admin`) Admins only.
   */
  removeMember(fields: RemoveMemberArguments, options?: CallOptions): Promise<void>;

  /**
   * Read a member's photo.
   * The bytes of the picture, with an ETag. (`brand:read`)
   */
  getMemberPhoto(fields: GetMemberPhotoArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Set a member's photo.
   * The content decides the type. The photo is stored without its metadata. (`brand:admin`) Admins only.
   */
  setMemberPhoto(fields: SetMemberPhotoArguments, options?: CallOptions): Promise<Photo>;

  /**
   * Remove a member's photo.
   * Answers `photo: null`. (`brand:admin`) Admins only.
   */
  removeMemberPhoto(fields: RemoveMemberPhotoArguments, options?: CallOptions): Promise<Photo>;

  /**
   * Mail a member a password reset link.
   * Mails a link; the person chooses the password. (`brand:admin`) Admins only.
   */
  sendPasswordReset(fields: SendPasswordResetArguments, options?: CallOptions): Promise<Done>;

  /**
   * Set a member's password.
   * Only for people of no other workspace. Their sessions end. (`brand:admin`) Admins only.
   */
  setMemberPassword(fields: SetMemberPasswordArguments, options?: CallOptions): Promise<Done>;

  /**
   * Get your mail address and the old ones that forward to it.
   * Old addresses forward until `until`.
   */
  getMailAddress(fields?: NoArguments, options?: CallOptions): Promise<MailAddress>;

  /**
   * Rename your mail address.
   * The old address forwards for 30 days.
   */
  renameMailAddress(fields: RenameMailAddressArguments, options?: CallOptions): Promise<RenamedMailAddress>;

  /**
   * Check whether a mail name is available.
   * Nothing is reserved: rename_mail_address takes the name.
   */
  checkMailName(fields: CheckMailNameArguments, options?: CallOptions): Promise<MailNameAvailability>;
}

export interface WorkspaceSettingsLists {
  listWorkspaceAudit: { fields: ListWorkspaceAuditArguments; item: WorkspaceAuditEntry };
}

export const workspaceSettings = {
  getWorkspace: { method: 'GET', path: '/api/v1/brands/{brand_id}' },
  changeWorkspace: {
    method: 'PATCH',
    path: '/api/v1/brands/{brand_id}',
    body: ['name', 'require_mfa', 'timezone'],
  },
  listWorkspaceAudit: {
    method: 'GET',
    path: '/api/v1/brands/{brand_id}/audit',
    query: ['actor', 'action', 'cursor', 'limit'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'entries', key: 'id' },
  },
  getFeatures: {
    method: 'GET',
    path: '/api/v1/brands/{brand_id}/features',
    query: ['format'],
    forms: 'usual',
  },
  setFeature: {
    method: 'PUT',
    path: '/api/v1/brands/{brand_id}/features/{key}',
    body: ['on'],
    needsBody: true,
  },
  getWorkspaceFigures: { method: 'GET', path: '/api/v1/brands/{brand_id}/figures', query: ['weeks'] },
  listGuests: { method: 'GET', path: '/api/v1/brands/{brand_id}/guests' },
  removeGuest: { method: 'DELETE', path: '/api/v1/brands/{brand_id}/guests/{user_id}' },
  inviteGuestAsMember: {
    method: 'POST',
    path: '/api/v1/brands/{brand_id}/guests/{user_id}/make-member',
    creates: true,
  },
  inviteMember: {
    method: 'POST',
    path: '/api/v1/brands/{brand_id}/invitations',
    body: ['email', 'role'],
    needsBody: true,
    creates: true,
  },
  listInvitations: { method: 'GET', path: '/api/v1/brands/{brand_id}/invitations' },
  revokeInvitation: {
    method: 'DELETE',
    path: '/api/v1/brands/{brand_id}/invitations/{invitation_id}',
    answer: 'nothing',
  },
  listMembers: { method: 'GET', path: '/api/v1/brands/{brand_id}/members' },
  getMember: { method: 'GET', path: '/api/v1/brands/{brand_id}/members/{user_id}' },
  updateMember: {
    method: 'PATCH',
    path: '/api/v1/brands/{brand_id}/members/{user_id}',
    body: ['role', 'position'],
  },
  removeMember: { method: 'DELETE', path: '/api/v1/brands/{brand_id}/members/{user_id}', answer: 'nothing' },
  getMemberPhoto: {
    method: 'GET',
    path: '/api/v1/brands/{brand_id}/members/{user_id}/photo',
    answer: 'bytes',
  },
  setMemberPhoto: { method: 'POST', path: '/api/v1/brands/{brand_id}/members/{user_id}/photo', file: 'file' },
  removeMemberPhoto: { method: 'DELETE', path: '/api/v1/brands/{brand_id}/members/{user_id}/photo' },
  sendPasswordReset: { method: 'POST', path: '/api/v1/brands/{brand_id}/members/{user_id}/reset-password' },
  setMemberPassword: {
    method: 'POST',
    path: '/api/v1/brands/{brand_id}/members/{user_id}/set-password',
    body: ['password', 'send_email'],
    needsBody: true,
  },
  getMailAddress: { method: 'GET', path: '/api/v1/me/mail/address' },
  renameMailAddress: { method: 'PUT', path: '/api/v1/me/mail/address', body: ['name'], needsBody: true },
  checkMailName: { method: 'GET', path: '/api/v1/me/mail/address/availability', query: ['name'] },
} as const satisfies Record<string, Operation>;
