import { useIsAdmin } from '../shell/session.js';
import { Page, Tabs } from '../ui/page.js';
import { AccountTab } from './account-tab.js';
import { FeaturesTab } from './features-tab.js';
import { GuestsTab } from './guests-tab.js';
import { InvitationsTab } from './invitations-tab.js';
import { MailTab } from './mail-tab.js';
import { MembersTab } from './members-tab.js';
import { TokensTab } from './tokens-tab.js';

const TABS = [
  { key: 'features', label: 'Features', admin: false },
  { key: 'members', label: 'Members', admin: false },
  { key: 'guests', label: 'Guests', admin: true },
  { key: 'invitations', label: 'Invitations', admin: true },
  { key: 'mail', label: 'Mail address', admin: false },
  { key: 'tokens', label: 'Access tokens', admin: false },
  { key: 'account', label: 'Your sign-in', admin: false },
];

export function SettingsPage({ tab }: { tab: string }) {
  const isAdmin = useIsAdmin();
  const tabs = TABS.filter(({ admin }) => isAdmin || !admin);
  const current = tabs.some(({ key }) => key === tab) ? tab : 'features';
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={tabs.map(({ key, label }) => ({
          to: `/dashboard/settings/${key}`,
          label,
          current: key === current,
        }))}
      />
      {current === 'features' && <FeaturesTab />}
      {current === 'members' && <MembersTab />}
      {current === 'guests' && <GuestsTab />}
      {current === 'invitations' && <InvitationsTab />}
      {current === 'mail' && <MailTab />}
      {current === 'tokens' && <TokensTab />}
      {current === 'account' && <AccountTab />}
    </Page>
  );
}
