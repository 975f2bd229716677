import type {
  ChangeWorkspaceArguments,
  FeatureSwitch,
  Features,
  InviteBoardGuestArguments,
  InviteMemberArguments,
  ListWorkspaceAuditArguments,
  SetMemberPasswordArguments,
  UpdateMemberArguments,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type {
  Features,
  Guest,
  Invitation,
  Member,
  OwnWorkspace,
  WorkspaceAuditEntry,
} from '../../../client/src/index.js';
export type Switch = FeatureSwitch;
export type FeatureKey = keyof Features['switches'];
export const FEATURE_KEYS: readonly FeatureKey[] = ['skills', 'feed', 'machines', 'crm'];

export const readWorkspace = (brand_id: number, signal?: AbortSignal) =>
  guildhall.getWorkspace({ brand_id }, { signal });

export const changeWorkspace = (brand_id: number, changes: Omit<ChangeWorkspaceArguments, 'brand_id'>) =>
  guildhall.changeWorkspace({ ...changes, brand_id });

export const listAudit = (filter: ListWorkspaceAuditArguments, signal?: AbortSignal) =>
  guildhall.listWorkspaceAudit(filter, { signal });

export const readFeatures = (brand_id: number, signal?: AbortSignal) =>
  guildhall.getFeatures({ brand_id }, { signal });

export const setFeature = (brand_id: number, key: FeatureKey, on: boolean) =>
  guildhall.setFeature({ brand_id, key, on });

export const listMembers = (brand_id: number, signal?: AbortSignal) =>
  guildhall.listMembers({ brand_id }, { signal });

export const changeMember = (
  brand_id: number,
  user_id: number,
  changes: Omit<UpdateMemberArguments, 'brand_id' | 'user_id'>,
) => guildhall.updateMember({ ...changes, brand_id, user_id });

export const setMemberPhoto = (brand_id: number, user_id: number, file: File) =>
  guildhall.setMemberPhoto({ brand_id, user_id, file });

export const removeMemberPhoto = (brand_id: number, user_id: number) =>
  guildhall.removeMemberPhoto({ brand_id, user_id });

export const sendPasswordReset = (brand_id: number, user_id: number) =>
  guildhall.sendPasswordReset({ brand_id, user_id });

export const setPassword = (
  brand_id: number,
  user_id: number,
  password: Omit<SetMemberPasswordArguments, 'brand_id' | 'user_id'>,
) => guildhall.setMemberPassword({ ...password, brand_id, user_id });

export const removeMember = (brand_id: number, user_id: number) =>
  guildhall.removeMember({ brand_id, user_id });

export const listGuests = (brand_id: number, signal?: AbortSignal) =>
  guildhall.listGuests({ brand_id }, { signal });

export const makeMember = (brand_id: number, user_id: number) =>
  guildhall.inviteGuestAsMember({ brand_id, user_id });

export const removeGuest = (brand_id: number, user_id: number) =>
  guildhall.removeGuest({ brand_id, user_id });

export const listInvitations = (brand_id: number, signal?: AbortSignal) =>
  guildhall.listInvitations({ brand_id }, { signal });

export const inviteMember = (brand_id: number, invitation: Omit<InviteMemberArguments, 'brand_id'>) =>
  guildhall.inviteMember({ ...invitation, brand_id });

export type GuestLevel = InviteBoardGuestArguments['role'];

export const inviteToBoard = (board_id: string, email: string, role: GuestLevel) =>
  guildhall.inviteBoardGuest({ board_id, email, role });

export const inviteToSpace = (space_id: string, email: string, role: GuestLevel) =>
  guildhall.inviteDocsSpaceGuest({ space_id, email, role });

export const listSpaces = (signal?: AbortSignal) => guildhall.listDocsSpaces({}, { signal });

export const revokeInvitation = (brand_id: number, invitation_id: number) =>
  guildhall.revokeInvitation({ brand_id, invitation_id });

export const readMailAddress = (signal?: AbortSignal) => guildhall.getMailAddress({}, { signal });

export const checkMailName = (name: string, signal?: AbortSignal) =>
  guildhall.checkMailName({ name }, { signal });

export const renameMailAddress = (name: string) => guildhall.renameMailAddress({ name });
