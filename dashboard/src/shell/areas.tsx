import type { ReactNode } from 'react';
import { useResource } from '../api/resource.js';
import { type Features, readFeatures } from '../api/workspace.js';
import {
  AgentsIcon,
  BoardsIcon,
  BuildsIcon,
  FiguresIcon,
  InboxIcon,
  LessonsIcon,
  MachinesIcon,
  MemoryIcon,
  ProfilesIcon,
  SettingsIcon,
  SpendIcon,
  TodayIcon,
  WorkIcon,
} from '../ui/icons.js';
import { useSession } from './session.js';

export interface Area {
  /** The path after `/dashboard/`; empty for the home page. */
  path: string;
  label: string;
  icon: ReactNode;
  /** Key sequence that starts with g. */
  keys: string;
}

export interface AreaGroup {
  label: string | undefined;
  areas: Area[];
}

const TODAY: Area = { path: '', label: 'Today', icon: <TodayIcon />, keys: 'g t' };
const INBOX: Area = { path: 'inbox', label: 'Inbox', icon: <InboxIcon />, keys: 'g i' };
const WORK: Area = { path: 'work', label: 'Work', icon: <WorkIcon />, keys: 'g w' };
const BOARDS: Area = { path: 'boards', label: 'Boards', icon: <BoardsIcon />, keys: 'g b' };
const BUILDS: Area = { path: 'builds', label: 'Builds', icon: <BuildsIcon />, keys: 'g u' };
const MEMORY: Area = { path: 'memory', label: 'Memory', icon: <MemoryIcon />, keys: 'g m' };
const LESSONS: Area = { path: 'lessons', label: 'Lessons', icon: <LessonsIcon />, keys: 'g l' };
const AGENTS: Area = { path: 'agents', label: 'Agents', icon: <AgentsIcon />, keys: 'g a' };
const MACHINES: Area = { path: 'machines', label: 'Machines', icon: <MachinesIcon />, keys: 'g d' };
const PROFILES: Area = {
  path: 'coder-profiles',
  label: 'Coder profiles',
  icon: <ProfilesIcon />,
  keys: 'g p',
};
const FIGURES: Area = { path: 'figures', label: 'Figures', icon: <FiguresIcon />, keys: 'g f' };
const SPEND: Area = { path: 'spend', label: 'Spend', icon: <SpendIcon />, keys: 'g e' };
const SETTINGS: Area = { path: 'settings', label: 'Settings', icon: <SettingsIcon />, keys: 'g s' };

const GROUPS: AreaGroup[] = [
  { label: undefined, areas: [TODAY, INBOX, WORK] },
  { label: 'Work', areas: [BOARDS, BUILDS, FIGURES, SPEND] },
  { label: 'Knowledge', areas: [MEMORY, LESSONS] },
  { label: 'Workshop', areas: [AGENTS, MACHINES, PROFILES] },
  { label: undefined, areas: [SETTINGS] },
];

/** The sidebar of workspaces without the `new_navigation` feature. */
const EARLIER: AreaGroup[] = [
  { label: undefined, areas: [BOARDS, MEMORY, LESSONS, MACHINES, AGENTS, PROFILES, SETTINGS] },
];

const FOR_GUESTS: AreaGroup[] = [{ label: undefined, areas: [BOARDS, INBOX, WORK, SETTINGS] }];

/** The workspace's features; undefined while they load and for guests, who may not read them. */
export function useFeatures(): Features | undefined {
  const { role, brand } = useSession();
  const features = useResource(
    role === 'guest' ? null : `features:${brand.brand_id}`,
    (signal) => readFeatures(brand.brand_id, signal),
    { freshMs: 30_000 },
  );
  return features.data;
}

/** Areas that the user can open, without disabled features; guests see only a few. */
export function useAreas(): AreaGroup[] {
  const { role } = useSession();
  const features = useFeatures();
  if (role === 'guest') return FOR_GUESTS;
  const groups = features?.new_navigation === false ? EARLIER : GROUPS;
  if (features?.switches.machines.on !== false) return groups;
  return groups.map((group) => ({ ...group, areas: group.areas.filter((area) => area !== MACHINES) }));
}

export const addressOf = ({ path }: Area): string => (path ? `/dashboard/${path}` : '/dashboard');
