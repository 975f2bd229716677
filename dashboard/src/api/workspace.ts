import { call, segment } from './client.js';

export const FEATURE_KEYS = ['skills', 'feed', 'machines', 'crm'] as const;
export type FeatureKey = (typeof FEATURE_KEYS)[number];

export interface Switch {
  on: boolean;
  locked_by_plan: boolean;
  source: 'plan_default' | 'data_default' | 'admin';
  changed_by: { user_id: number; name: string } | null;
  changed_at: string | null;
  holds: Record<string, number>;
}

export interface Features {
  new_navigation: boolean;
  switches: Record<FeatureKey, Switch>;
}

export interface Member {
  user_id: number;
  email: string;
  full_name: string;
  role: 'admin' | 'member';
  position: string | null;
  photo: string | null;
  joined_at: string;
}

export interface Guest {
  user_id: number;
  email: string;
  full_name: string;
  image: string | null;
  access: { kind: 'board' | 'docs'; resource_id: string; name: string; role: string | null }[];
}

export interface Invitation {
  id: number;
  email: string;
  role: 'admin' | 'member' | 'guest';
  status: string;
  expires_at: string;
  created_at: string;
}

interface Done {
  success: boolean;
  message: string;
}

const brand = (brandId: number) => `/api/v1/brands/${brandId}`;
const member = (brandId: number, userId: number) => `${brand(brandId)}/members/${userId}`;

export const readFeatures = (brandId: number, signal?: AbortSignal) =>
  call<Features>('GET', `${brand(brandId)}/features`, { signal });

export const setFeature = (brandId: number, key: FeatureKey, on: boolean) =>
  call<Features>('PUT', `${brand(brandId)}/features/${key}`, { body: { on } });

export const listMembers = (brandId: number, signal?: AbortSignal) =>
  call<{ members: Member[]; total: number }>('GET', `${brand(brandId)}/members`, { signal });

export const changeMember = (
  brandId: number,
  userId: number,
  body: { role?: string; position?: string | null },
) => call<{ success: boolean }>('PATCH', member(brandId, userId), { body });

export const setMemberPhoto = (brandId: number, userId: number, file: File) =>
  call<{ photo: string }>('POST', `${member(brandId, userId)}/photo`, { file });

export const removeMemberPhoto = (brandId: number, userId: number) =>
  call<{ photo: null }>('DELETE', `${member(brandId, userId)}/photo`);

export const sendPasswordReset = (brandId: number, userId: number) =>
  call<Done>('POST', `${member(brandId, userId)}/reset-password`);

export const setPassword = (
  brandId: number,
  userId: number,
  body: { password: string; send_email: boolean },
) => call<Done>('POST', `${member(brandId, userId)}/set-password`, { body });

export const listGuests = (brandId: number, signal?: AbortSignal) =>
  call<{ guests: Guest[]; total: number }>('GET', `${brand(brandId)}/guests`, { signal });

export const makeMember = (brandId: number, userId: number) =>
  call<Invitation>('POST', `${brand(brandId)}/guests/${userId}/make-member`);

export const removeGuest = (brandId: number, userId: number) =>
  call<{ boards_removed: number; docs_removed: number }>('DELETE', `${brand(brandId)}/guests/${userId}`);

export const listInvitations = (brandId: number, signal?: AbortSignal) =>
  call<{ invitations: Invitation[]; total: number }>('GET', `${brand(brandId)}/invitations`, { signal });

export const inviteMember = (brandId: number, body: { email: string; role: string }) =>
  call<Invitation>('POST', `${brand(brandId)}/invitations`, { body });

export const revokeInvitation = (brandId: number, id: number) =>
  call<void>('DELETE', `${brand(brandId)}/invitations/${segment(String(id))}`);

export const checkMailName = (name: string, signal?: AbortSignal) =>
  call<{ name: string; domain: string; available: boolean }>('GET', '/api/v1/me/mail/address/availability', {
    query: { name },
    signal,
  });

export const renameMailAddress = (name: string) =>
  call<{ address: string; forwarding_from: string; forwards_until: string }>(
    'PUT',
    '/api/v1/me/mail/address',
    { body: { name } },
  );
