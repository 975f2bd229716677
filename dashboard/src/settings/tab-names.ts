import type { Session } from '../api/identity.js';

/** Names of the settings pages, for links from elsewhere. */
export interface TabName {
  key: string;
  label: string;
  who: 'all' | 'members' | 'admins';
}

const WORKSPACE = [
  { key: 'workspace', label: 'General', who: 'members' },
  { key: 'features', label: 'Features', who: 'members' },
  { key: 'builds', label: 'Build policy', who: 'members' },
  { key: 'members', label: 'Members', who: 'members' },
  { key: 'guests', label: 'Guests', who: 'admins' },
  { key: 'invitations', label: 'Invitations', who: 'admins' },
  { key: 'webhooks', label: 'Webhooks', who: 'admins' },
  { key: 'audit', label: 'Audit', who: 'admins' },
] as const;

const YOU = [
  { key: 'profile', label: 'Profile and data', who: 'all' },
  { key: 'account', label: 'Sign-in', who: 'all' },
  { key: 'sessions', label: 'Sessions', who: 'all' },
  { key: 'tokens', label: 'Access tokens', who: 'members' },
  { key: 'mail', label: 'Mail address', who: 'members' },
] as const;

export type TabKey = (typeof WORKSPACE | typeof YOU)[number]['key'];

type Tabs = readonly (TabName & { key: TabKey })[];

export function tabsFor(role: Session['role']): { label: string; tabs: Tabs }[] {
  const mayOpen = ({ who }: TabName) =>
    who === 'all' || (role !== 'guest' && (who === 'members' || role === 'admin'));
  return [
    { label: 'Workspace', tabs: WORKSPACE.filter(mayOpen) },
    { label: 'You', tabs: YOU.filter(mayOpen) },
  ].filter(({ tabs }) => tabs.length > 0);
}

export const isTab = (key: string): boolean => [...WORKSPACE, ...YOU].some((tab) => tab.key === key);
