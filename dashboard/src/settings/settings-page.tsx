import { useMemo } from 'react';
import { NotHere } from '../shell/not-here.js';
import { Link } from '../shell/router.js';
import { useSession } from '../shell/session.js';
import { Page, useCurrentInSight } from '../ui/page.js';
import { AccountTab } from './account-tab.js';
import { AuditTab } from './audit-tab.js';
import { BuildsTab } from './builds-tab.js';
import { FeaturesTab } from './features-tab.js';
import { GuestsTab } from './guests-tab.js';
import { InvitationsTab } from './invitations-tab.js';
import { MailTab } from './mail-tab.js';
import { MembersTab } from './members-tab.js';
import { ProfileTab } from './profile-tab.js';
import { SessionsTab } from './sessions-tab.js';
import { isTab, type TabKey, tabsFor } from './tab-names.js';
import { TokensTab } from './tokens-tab.js';
import { WebhooksTab } from './webhooks-tab.js';
import { WorkspaceTab } from './workspace-tab.js';

const BODIES: Record<TabKey, () => React.ReactNode> = {
  workspace: WorkspaceTab,
  features: FeaturesTab,
  builds: BuildsTab,
  members: MembersTab,
  guests: GuestsTab,
  invitations: InvitationsTab,
  webhooks: WebhooksTab,
  audit: AuditTab,
  profile: ProfileTab,
  account: AccountTab,
  sessions: SessionsTab,
  tokens: TokensTab,
  mail: MailTab,
};

export function SettingsPage({ tab }: { tab?: string }) {
  const { role } = useSession();
  const groups = useMemo(() => tabsFor(role), [role]);
  const all = groups.flatMap(({ tabs }) => tabs);
  const current = tab === undefined ? all[0]! : all.find(({ key }) => key === tab);
  const strip = useCurrentInSight(current?.key);
  // Do not redirect: users would not understand why they see another page.
  if (!current)
    return <NotHere text={isTab(tab!) ? 'Only admins of the workspace can open this page.' : undefined} />;
  const Body = BODIES[current.key];
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
          <Body />
        </div>
      </div>
    </Page>
  );
}
