// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { Actor, Invitation, WorkspaceName } from './shared.generated.js';

export interface Done {
  success: boolean;
  message: string;
}

export interface FeatureSwitch {
  on: boolean;
  /** The plan does not include the feature; it cannot be turned on */
  locked_by_plan: boolean;
  source: 'plan_default' | 'data_default' | 'admin';
  changed_by: Actor | null;
  changed_at: string | null;
  /** Counts of what the feature holds */
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
  /** The guest's level on that board or space */
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
  /** Where the picture can be read */
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
  /** Whether its people must sign in with two factors. */
  require_mfa: boolean;
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
  /** The previous address */
  forwarding_from: string;
  forwards_until: string;
}

/** The Monday of the week, in UTC */
export type Week = string;

export interface WorkspaceAuditEntry {
  id: string;
  at: string;
  /** Who did it; null when it was the operator, a machine or nobody who is known. */
  actor: Actor | null;
  action: string;
  subject: string;
  /** The address of the client; null for what the service did by itself. */
  address: string | null;
  /** `session:<id>`, `pat:<token_id>`, `desk:<id>` or `admin_key`. */
  credential: string | null;
}

export interface WorkspaceAuditPage {
  entries: WorkspaceAuditEntry[];
  next_cursor: string | null;
}

export interface WorkspaceFigures {
  /** Oldest first; the last one is not over yet. */
  weeks: Week[];
  cards: {
    week: Week;
    made: number;
    /** Done in that week, and done still */
    done: number;
  }[];
  /** A coder that did nothing in a week is not listed for it. */
  builds: {
    week: Week;
    coder: string;
    /** Asked for in that week */
    builds: number;
    succeeded: number;
    tokens_in: number;
    tokens_out: number;
    cost_usd: number;
  }[];
  memories: {
    week: Week;
    /** In use at its end */
    total: number;
  }[];
  /** By name; at most 200. */
  desks: {
    workstation_id: string;
    name: string;
    /** 0 to 1, of the time it was there */
    ready_share: number;
    /** The last 14 days, today included. */
    days: {
      day: string;
      ready_minutes: number;
    }[];
  }[];
}

export interface GetWorkspaceArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
}

export interface ChangeWorkspaceArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  name?: WorkspaceName;
  /** true: people without two-factor sign-in can do nothing here but set it up, nor can their tokens. */
  require_mfa?: boolean;
}

export interface ListWorkspaceAuditArguments {
  /** The workspace: the one the credential belongs to. */
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
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** In which form to answer, json unless said; all of them hold the same facts. */
  format?: 'yaml' | 'md';
}

export interface SetFeatureArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The feature to switch, as get_features names it. */
  key: 'skills' | 'feed' | 'machines' | 'crm';
  /** true shows the feature, false hides it. */
  on: boolean;
}

export interface GetWorkspaceFiguresArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** How many weeks back, this one included. */
  weeks?: number;
}

export interface ListGuestsArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
}

export interface RemoveGuestArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The guest, as list_guests shows their user_id. */
  user_id: number;
}

export interface InviteGuestAsMemberArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The guest, as list_guests shows their user_id. */
  user_id: number;
}

export interface InviteMemberArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The address of the person to invite; only whoever holds it can accept. It must be an e-mail address. */
  email: string;
  /** What they become by accepting. */
  role: 'admin' | 'member';
}

export interface ListInvitationsArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
}

export interface RevokeInvitationArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The invitation, as list_invitations shows its id. */
  invitation_id: number;
}

export interface ListMembersArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
}

export interface GetMemberArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The member, as list_members shows their user_id. */
  user_id: number;
}

export interface UpdateMemberArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The member, as list_members shows their user_id. */
  user_id: number;
  /** `admin` or `member` */
  role?: unknown;
  /** What they do in the team; null clears it. */
  position?: string | null;
}

export interface RemoveMemberArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The member, as list_members shows their user_id. */
  user_id: number;
}

export interface GetMemberPhotoArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The member, as list_members shows their user_id. */
  user_id: number;
}

export interface SetMemberPhotoArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The member, as list_members shows their user_id. */
  user_id: number;
  /** PNG, JPG or GIF, up to 5 MB */
  file: Blob;
}

export interface RemoveMemberPhotoArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The member, as list_members shows their user_id. */
  user_id: number;
}

export interface SendPasswordResetArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The member, as list_members shows their user_id. */
  user_id: number;
}

export interface SetMemberPasswordArguments {
  /** The workspace: the one the credential belongs to. */
  brand_id: number;
  /** The member, as list_members shows their user_id. */
  user_id: number;
  /** The new password, at least 8 characters. */
  password: string;
  /** Whether to tell them by mail. */
  send_email?: boolean;
}

export interface RenameMailAddressArguments {
  /**
   * The part before the @ from now on. It must have 3 to 30 lowercase letters, numbers or hyphens and start
   * and end with a letter or number.
   */
  name: string;
}

export interface CheckMailNameArguments {
  /** The part before the @. */
  name: string;
}

export interface WorkspaceSettingsMethods {
  /**
   * The workspace itself.
   * Its name, its plan, and whether it demands two-factor sign-in. Scopes: `brand:read`.
   */
  getWorkspace(fields: GetWorkspaceArguments, options?: CallOptions): Promise<OwnWorkspace>;

  /**
   * Rename the workspace, or demand two-factor sign-in.
   * What is left out stays. Both take effect at once, on every node. Scopes: `brand:admin`. Admins only.
   */
  changeWorkspace(fields: ChangeWorkspaceArguments, options?: CallOptions): Promise<OwnWorkspace>;

  /**
   * Who did what in the workspace, newest first.
   * Changes, sign-ins and failed sign-ins, each with the address and the credential it came with.
   * `next_cursor` is sent back as `cursor` for older entries and is null at the end. Scopes: `brand:admin`.
   * Admins only.
   */
  listWorkspaceAudit(fields: ListWorkspaceAuditArguments, options?: CallOptions): Promise<WorkspaceAuditPage>;

  /**
   * Read the feature switches of the workspace.
   * Each switch says whether it is on, why, who set it and when, and what it holds. Scopes: `brand:read`.
   */
  getFeatures(
    fields: GetFeaturesArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  getFeatures(fields: GetFeaturesArguments, options?: CallOptions): Promise<Features>;

  /**
   * Turn a feature on or off.
   * Turning a feature off hides it from the dashboard and deletes nothing. Scopes: `brand:admin`. Admins
   * only.
   */
  setFeature(fields: SetFeatureArguments, options?: CallOptions): Promise<Features>;

  /**
   * How the workspace is doing, week by week.
   * For charts: cards made and done, builds with tokens and cost by coder, memories in use, and how long each
   * desk was ready. Scopes: `brand:read`.
   */
  getWorkspaceFigures(fields: GetWorkspaceFiguresArguments, options?: CallOptions): Promise<WorkspaceFigures>;

  /**
   * List the guests of the workspace and what they can open.
   * People outside the workspace who can open some of its boards and docs spaces, and which. Scopes:
   * `brand:admin`. Admins only.
   */
  listGuests(fields: ListGuestsArguments, options?: CallOptions): Promise<GuestList>;

  /**
   * Remove a guest from every board and docs space.
   * Cards, comments and pages they wrote stay. A pending invitation of theirs is revoked. Scopes:
   * `brand:admin`. Admins only.
   */
  removeGuest(fields: RemoveGuestArguments, options?: CallOptions): Promise<RemovedGuest>;

  /**
   * Invite a guest to become a member.
   * E-mails the link. What the guest can open stays until the invitation is accepted. Scopes: `brand:admin`.
   * Admins only.
   */
  inviteGuestAsMember(fields: InviteGuestAsMemberArguments, options?: CallOptions): Promise<Invitation>;

  /**
   * Invite somebody to the workspace by e-mail.
   * Mails a link that works for seven days. Whoever holds the address becomes a member or an admin by
   * accepting; revoke_invitation takes it back. Scopes: `brand:admin`. Admins only.
   */
  inviteMember(fields: InviteMemberArguments, options?: CallOptions): Promise<Invitation>;

  /**
   * List invitations, newest first.
   * Pending, accepted, revoked and expired ones. Scopes: `brand:admin`. Admins only.
   */
  listInvitations(fields: ListInvitationsArguments, options?: CallOptions): Promise<InvitationList>;

  /**
   * Revoke a pending invitation.
   * Its link stops working at once. Scopes: `brand:admin`. Admins only.
   */
  revokeInvitation(fields: RevokeInvitationArguments, options?: CallOptions): Promise<void>;

  /**
   * List the members of the workspace.
   * The people of the workspace with their role. Use a `user_id` of here as the assignee of a card. Scopes:
   * `brand:read`.
   */
  listMembers(fields: ListMembersArguments, options?: CallOptions): Promise<MemberList>;

  /**
   * Read a member.
   * Name, e-mail address, role, position and photo of one person. Scopes: `brand:read`.
   */
  getMember(fields: GetMemberArguments, options?: CallOptions): Promise<Member>;

  /**
   * Change a member's role or position.
   * Only what is sent changes; a position of null clears it. Scopes: `brand:admin`. Admins only.
   */
  updateMember(fields: UpdateMemberArguments, options?: CallOptions): Promise<{
    success: boolean;
  }>;

  /**
   * Remove a member from the workspace.
   * Their sessions, tokens and event streams in the workspace end at once and for good. Scopes:
   * `brand:admin`. Admins only.
   */
  removeMember(fields: RemoveMemberArguments, options?: CallOptions): Promise<void>;

  /**
   * Read a member's photo.
   * The bytes of the picture, with an ETag. Scopes: `brand:read`.
   */
  getMemberPhoto(fields: GetMemberPhotoArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Set a member's photo.
   * PNG, JPG or GIF, up to 5 MB, judged by the bytes. Kept without what tells of its making, such as the
   * place. Scopes: `brand:admin`. Admins only.
   */
  setMemberPhoto(fields: SetMemberPhotoArguments, options?: CallOptions): Promise<Photo>;

  /**
   * Remove a member's photo.
   * Answers `photo: null`. Scopes: `brand:admin`. Admins only.
   */
  removeMemberPhoto(fields: RemoveMemberPhotoArguments, options?: CallOptions): Promise<Photo>;

  /**
   * E-mail a member a link to choose a new password.
   * Mails the link; the person chooses the password themselves. Scopes: `brand:admin`. Admins only.
   */
  sendPasswordReset(fields: SendPasswordResetArguments, options?: CallOptions): Promise<Done>;

  /**
   * Set a member's password.
   * Only for a person who belongs to this workspace and no other. Their sessions end. Scopes: `brand:admin`.
   * Admins only.
   */
  setMemberPassword(fields: SetMemberPasswordArguments, options?: CallOptions): Promise<Done>;

  /**
   * Your mail address, and the old ones that still forward to it.
   * An old address forwards until the moment that `until` names.
   */
  getMailAddress(fields?: NoArguments, options?: CallOptions): Promise<MailAddress>;

  /**
   * Rename your mail address.
   * Mail to the old address is forwarded to the new one for 30 days.
   */
  renameMailAddress(fields: RenameMailAddressArguments, options?: CallOptions): Promise<RenamedMailAddress>;

  /**
   * Ask whether a name for your mail address is available.
   * Nothing is reserved: rename_mail_address takes the name.
   */
  checkMailName(fields: CheckMailNameArguments, options?: CallOptions): Promise<MailNameAvailability>;
}

export interface WorkspaceSettingsLists {
  listWorkspaceAudit: { fields: ListWorkspaceAuditArguments; item: WorkspaceAuditEntry };
}

export const workspaceSettings = {
  getWorkspace: { method: 'GET', path: '/api/v1/brands/{brand_id}' },
  changeWorkspace: { method: 'PATCH', path: '/api/v1/brands/{brand_id}', body: ['name', 'require_mfa'] },
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
