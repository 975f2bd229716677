import { useMemo } from 'react';
import { type Command, useCommands } from '../shell/commands.js';
import { Link, navigate } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Page, useCurrentInSight } from '../ui/page.js';
import { AccountTab } from './account-tab.js';
import { AuditTab } from './audit-tab.js';
import { FeaturesTab } from './features-tab.js';
import { GuestsTab } from './guests-tab.js';
import { InvitationsTab } from './invitations-tab.js';
import { MailTab } from './mail-tab.js';
import { MembersTab } from './members-tab.js';
import { ProfileTab } from './profile-tab.js';
import { SessionsTab } from './sessions-tab.js';
import { TokensTab } from './tokens-tab.js';
import { WebhooksTab } from './webhooks-tab.js';
import { WorkspaceTab } from './workspace-tab.js';

interface Tab {
  key: string;
  label: string;
  who: 'all' | 'members' | 'admins';
  Body: () => React.ReactNode;
}

const WORKSPACE: Tab[] = [
  { key: 'workspace', label: 'General', who: 'members', Body: WorkspaceTab },
  { key: 'features', label: 'Features', who: 'members', Body: FeaturesTab },
  { key: 'members', label: 'Members', who: 'members', Body: MembersTab },
  { key: 'guests', label: 'Guests', who: 'admins', Body: GuestsTab },
  { key: 'invitations', label: 'Invitations', who: 'admins', Body: InvitationsTab },
  { key: 'webhooks', label: 'Webhooks', who: 'admins', Body: WebhooksTab },
  { key: 'audit', label: 'Audit', who: 'admins', Body: AuditTab },
];

const YOU: Tab[] = [
  { key: 'profile', label: 'Profile and data', who: 'all', Body: ProfileTab },
  { key: 'account', label: 'Sign-in', who: 'all', Body: AccountTab },
  { key: 'sessions', label: 'Sessions', who: 'all', Body: SessionsTab },
  { key: 'tokens', label: 'Access tokens', who: 'members', Body: TokensTab },
  { key: 'mail', label: 'Mail address', who: 'members', Body: MailTab },
];

function useTabs() {
  const { role } = useSession();
  return useMemo(() => {
    const mayOpen = ({ who }: Tab) =>
      who === 'all' || (role !== 'guest' && (who === 'members' || role === 'admin'));
    return [
      { label: 'Workspace', tabs: WORKSPACE.filter(mayOpen) },
      { label: 'You', tabs: YOU.filter(mayOpen) },
    ].filter(({ tabs }) => tabs.length > 0);
  }, [role]);
}

export function SettingsPage({ tab }: { tab?: string }) {
  const groups = useTabs();
  const all = groups.flatMap(({ tabs }) => tabs);
  const current = all.find(({ key }) => key === tab) ?? all[0]!;
  const strip = useCurrentInSight(current.key);
  useCommands(
    useMemo(
      () =>
        groups.flatMap(({ label, tabs }) =>
          tabs.map(
            (each): Command => ({
              id: `settings-${each.key}`,
              label: `Settings: ${each.label}`,
              words: label,
              group: 'Settings',
              perform: () => navigate(`/dashboard/settings/${each.key}`),
            }),
          ),
        ),
      [groups],
    ),
  );
  return (
    <Page title={current.label}>
      <div className="settings">
        <nav className="settings-nav" aria-label="Settings" ref={strip}>
          {groups.map(({ label, tabs }) => (
            <div key={label} className="settings-group">
              <div className="settings-group-label">{label}</div>
              {tabs.map(({ key, label: name }) => (
                <Link
                  key={key}
                  to={`/dashboard/settings/${key}`}
                  aria-current={key === current.key ? 'page' : undefined}
                >
                  {name}
                </Link>
              ))}
            </div>
          ))}
        </nav>
        <div className="settings-body">
          <current.Body />
        </div>
      </div>
    </Page>
  );
}
