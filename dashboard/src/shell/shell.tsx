import { type ReactNode, useEffect, useRef, useState } from 'react';
import { signOut } from '../api/identity.js';
import { useResource } from '../api/resource.js';
import { readFeatures } from '../api/workspace.js';
import { IconButton } from '../ui/button.js';
import { Avatar } from '../ui/display.js';
import {
  AgentsIcon,
  BoardsIcon,
  LessonsIcon,
  MachinesIcon,
  Mark,
  MemoryIcon,
  MenuIcon,
  ProfilesIcon,
  SettingsIcon,
  SignOutIcon,
} from '../ui/icons.js';
import { Link, usePlace } from './router.js';
import { useSession, useSessionState } from './session.js';

interface Area {
  path: string;
  label: string;
  icon: ReactNode;
}

const AREAS: Area[] = [
  { path: 'boards', label: 'Boards', icon: <BoardsIcon /> },
  { path: 'memory', label: 'Memory', icon: <MemoryIcon /> },
  { path: 'lessons', label: 'Lessons', icon: <LessonsIcon /> },
  { path: 'machines', label: 'Machines', icon: <MachinesIcon /> },
  { path: 'agents', label: 'Agents', icon: <AgentsIcon /> },
  { path: 'coder-profiles', label: 'Coder profiles', icon: <ProfilesIcon /> },
  { path: 'settings', label: 'Settings', icon: <SettingsIcon /> },
];

/** What the person can open: a switched-off feature is out of sight, a guest has the boards alone. */
function useAreas(): Area[] {
  const { role, brand } = useSession();
  const features = useResource(role === 'guest' ? null : `features:${brand.brand_id}`, (signal) =>
    readFeatures(brand.brand_id, signal),
  );
  if (role === 'guest') return AREAS.slice(0, 1);
  const machines = features.data?.switches.machines.on ?? features.fault !== undefined;
  return AREAS.filter(({ path }) => path !== 'machines' || machines);
}

export function Shell({ children }: { children: ReactNode }) {
  const { parts, path } = usePlace();
  const areas = useAreas();
  const { user, brand, role } = useSession();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const current = parts[1] ?? 'boards';
  const title = areas.find((area) => area.path === current)?.label ?? 'Guildhall';

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top, with the menu closed
  useEffect(() => {
    setOpen(false);
    main.current?.scrollTo(0, 0);
  }, [path]);
  useEffect(() => {
    document.title = `${title} · ${brand.name}`;
  }, [title, brand.name]);

  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div className="topbar">
        <IconButton label="Menu" aria-expanded={open} onClick={() => setOpen(!open)}>
          <MenuIcon size={20} />
        </IconButton>
        <span className="topbar-title">{brand.name}</span>
      </div>
      {open && (
        <button type="button" className="veil" aria-label="Close menu" onClick={() => setOpen(false)} />
      )}
      <aside className={open ? 'sidebar sidebar-open' : 'sidebar'}>
        <Link to="/dashboard/boards" className="sidebar-brand">
          <Mark />
          <span>
            <strong>{brand.name}</strong>
            <small>Guildhall</small>
          </span>
        </Link>
        <nav aria-label="Areas" className="sidebar-areas">
          {areas.map((area) => (
            <Link
              key={area.path}
              to={`/dashboard/${area.path}`}
              className="area"
              aria-current={area.path === current ? 'page' : undefined}
            >
              {area.icon}
              {area.label}
            </Link>
          ))}
        </nav>
        <UserBox name={user.full_name} email={user.email} role={role} />
      </aside>
      <main id="main" className="main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function UserBox({ name, email, role }: { name: string; email: string; role: string }) {
  const { end } = useSessionState();
  async function leave() {
    // Whatever the service says: here the person has left.
    await signOut().catch(() => undefined);
    end();
  }
  return (
    <div className="user-box">
      <Avatar name={name} size={30} />
      <div className="user-box-text">
        <strong title={email}>{name}</strong>
        <small>{role}</small>
      </div>
      <IconButton label="Sign out" onClick={() => void leave()}>
        <SignOutIcon />
      </IconButton>
    </div>
  );
}
