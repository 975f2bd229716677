import { useMemo } from 'react';
import { useAction } from '../api/action.js';
import { readMe, signOut, switchWorkspace } from '../api/identity.js';
import { useResource } from '../api/resource.js';
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
  /** A number beside an area, such as what is unread. */
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
  return (
    <aside className={open ? 'sidebar sidebar-open' : 'sidebar'} id="sidebar">
      <WorkspaceBox />
      <button type="button" className="search-button" onClick={() => openPalette()}>
        <SearchIcon size={15} /> Search or do <kbd>{modifier}K</kbd>
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

const modifier = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl ';

/** The workspace one is in, and the way to the others. */
function WorkspaceBox() {
  const { brand } = useSession();
  const { check } = useSessionState();
  const toast = useToast();
  const me = useResource('me', readMe, { freshMs: 60_000 });
  const others = me.data?.workspaces.filter(({ brand_id }) => brand_id !== brand.brand_id) ?? [];
  const move = useAction(async (brandId: number) => {
    try {
      await switchWorkspace(brandId);
      navigate('/dashboard');
      await check();
    } catch (error) {
      toast({ text: (error as Error).message, tone: 'error' });
    }
  });
  return (
    <div className="workspace-box">
      <Link to="/dashboard" className="sidebar-brand">
        <Mark />
        <span>
          <strong>{brand.name}</strong>
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
  async function leave() {
    // Whatever the service says: here the person has left.
    await signOut().catch(() => undefined);
    end();
  }
  return (
    <div className="user-box">
      <Avatar name={user.full_name} size={30} />
      <Link className="user-box-text" to="/dashboard/settings/account" title="Your account">
        <strong>{user.full_name}</strong>
        <small>{role}</small>
      </Link>
      <IconButton label="Sign out" onClick={() => void leave()}>
        <SignOutIcon />
      </IconButton>
    </div>
  );
}
