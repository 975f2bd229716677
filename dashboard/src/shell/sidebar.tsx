import { useMemo } from 'react';
import { useAction } from '../api/action.js';
import { faultOf } from '../api/client.js';
import { readMe, signOut, switchWorkspace } from '../api/identity.js';
import { useResource } from '../api/resource.js';
import { tabsFor } from '../settings/tab-names.js';
import { IconButton } from '../ui/button.js';
import { Avatar } from '../ui/display.js';
import { Mark, SearchIcon, SignOutIcon, SwitchIcon } from '../ui/icons.js';
import { Menu } from '../ui/menu.js';
import { useToast } from '../ui/toast.js';
import { type AreaGroup, addressOf } from './areas.js';
import { type Command, useCommands } from './commands.js';
import { openPalette } from './palette-state.js';
import { Link, navigate } from './router.js';
import { useSession, useSessionState } from './session.js';

interface SidebarProps {
  groups: AreaGroup[];
  current: string;
  open: boolean;
  /** Badge counts by area, such as unread inbox items. */
  counts: Record<string, number>;
}

export function Sidebar({ groups, current, open, counts }: SidebarProps) {
  useCommands(
    useMemo(
      () =>
        groups.flatMap(({ areas }) =>
          areas.map(
            (area): Command => ({
              id: `go-${area.path || 'today'}`,
              label: `Go to ${area.label.toLowerCase()}`,
              group: 'Go to',
              keys: area.keys,
              perform: () => navigate(addressOf(area)),
            }),
          ),
        ),
      [groups],
    ),
  );
  useSettingsCommands();
  return (
    <aside className={open ? 'sidebar sidebar-open' : 'sidebar'} id="sidebar">
      <WorkspaceBox />
      <button type="button" className="search-button" onClick={() => openPalette()}>
        <SearchIcon size={15} /> Search <kbd>{modifier}K</kbd>
      </button>
      <nav aria-label="Areas" className="sidebar-areas">
        {groups.map((group, at) => (
          <div className="area-group" key={group.label ?? at}>
            {group.label && <div className="area-group-label">{group.label}</div>}
            {group.areas.map((area) => (
              <Link
                key={area.path}
                to={addressOf(area)}
                className="area"
                aria-current={area.path === current ? 'page' : undefined}
              >
                {area.icon}
                {area.label}
                {counts[area.path] ? <span className="area-count">{counts[area.path]}</span> : null}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <UserBox />
    </aside>
  );
}

function useSettingsCommands(): void {
  const { role } = useSession();
  useCommands(
    useMemo(
      () =>
        tabsFor(role).flatMap(({ label, tabs }) =>
          tabs.map(
            ({ key, label: name }): Command => ({
              id: `settings-${key}`,
              label: `Settings: ${name}`,
              words: label,
              group: 'Settings',
              sought: true,
              perform: () => navigate(`/dashboard/settings/${key}`),
            }),
          ),
        ),
      [role],
    ),
  );
}

const modifier = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl ';

function WorkspaceBox() {
  const { brand } = useSession();
  const { check } = useSessionState();
  const toast = useToast();
  const me = useResource('me', readMe, { freshMs: 60_000 });
  const workspaces = me.data?.workspaces;
  const others = useMemo(
    () => workspaces?.filter(({ brand_id }) => brand_id !== brand.brand_id) ?? [],
    [workspaces, brand.brand_id],
  );
  const move = useAction(async (brandId: number) => {
    try {
      await switchWorkspace(brandId);
      // Redirects to the home page of the new workspace.
      await check();
    } catch (error) {
      toast({ text: (error as Error).message, tone: 'error' });
    }
  });
  const { run } = move;
  useCommands(
    useMemo(
      () =>
        others.map(({ brand_id, name }) => ({
          id: `workspace-${brand_id}`,
          label: `Switch to ${name}`,
          words: 'workspace',
          group: 'Workspaces',
          sought: true,
          perform: () => void run(brand_id),
        })),
      [others, run],
    ),
  );
  return (
    <div className="workspace-box">
      <Link to="/dashboard" className="sidebar-brand">
        <Mark />
        <span>
          <strong title={brand.name}>{brand.name}</strong>
          <small>Guildhall</small>
        </span>
      </Link>
      {others.length > 0 && (
        <Menu
          label="Switch workspace"
          icon={<SwitchIcon size={16} />}
          items={others.map(({ brand_id, name }) => ({
            label: name,
            disabled: move.busy,
            perform: () => void move.run(brand_id),
          }))}
        />
      )}
    </div>
  );
}

function UserBox() {
  const { user, role } = useSession();
  const { end } = useSessionState();
  const toast = useToast();
  const leave = useAction(async () => {
    try {
      await signOut();
      end();
    } catch (error) {
      // An expired session counts as signed out. After any other error the session is still valid, so warn
      // the user before they walk away.
      if (faultOf(error).status === 401) end();
      else toast({ text: `You are still signed in: ${(error as Error).message}`, tone: 'error' });
    }
  });
  const { run } = leave;
  useCommands(
    useMemo(
      () => [
        {
          id: 'sign-out',
          label: 'Sign out',
          words: 'log out leave',
          group: 'General',
          sought: true,
          perform: () => void run(),
        },
      ],
      [run],
    ),
  );
  return (
    <div className="user-box">
      <Avatar name={user.full_name} size={30} />
      <Link className="user-box-text" to="/dashboard/settings/account" title="Your account">
        <strong title={user.full_name}>{user.full_name}</strong>
        <small>{role}</small>
      </Link>
      <IconButton label="Sign out" onClick={() => void run()}>
        <SignOutIcon />
      </IconButton>
    </div>
  );
}
