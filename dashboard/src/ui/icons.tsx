import type { ReactNode } from 'react';

interface IconProps {
  size?: number;
}

/** Icons share a 20 by 20 grid and one stroke width for a uniform look. */
const draw =
  (shape: ReactNode) =>
  ({ size = 18 }: IconProps) => (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {shape}
    </svg>
  );

export const BoardsIcon = draw(
  <>
    <rect x="2.5" y="3.5" width="4" height="13" rx="1" />
    <rect x="8" y="3.5" width="4" height="9" rx="1" />
    <rect x="13.5" y="3.5" width="4" height="6" rx="1" />
  </>,
);
export const MemoryIcon = draw(
  <>
    <path d="M4 4.5A1.5 1.5 0 0 1 5.5 3H16v12H5.5A1.5 1.5 0 0 0 4 16.5z" />
    <path d="M4 16.5A1.5 1.5 0 0 0 5.5 18H16v-3M7.5 6.5h5M7.5 9.5h3.5" />
  </>,
);
export const LessonsIcon = draw(
  <>
    <circle cx="10" cy="4.5" r="1.8" />
    <circle cx="4.5" cy="15" r="1.8" />
    <circle cx="15.5" cy="15" r="1.8" />
    <path d="m9 6.2-3.6 7.2M11 6.2l3.6 7.2M6.5 15h7" />
  </>,
);
export const MachinesIcon = draw(
  <>
    <rect x="2.5" y="3.5" width="15" height="10" rx="1.5" />
    <path d="M7 17h6M10 13.5V17M6 7l2 1.7L6 10.4M10 10.5h3" />
  </>,
);
export const AgentsIcon = draw(
  <>
    <circle cx="10" cy="6.5" r="3.2" />
    <path d="M3.5 17c.6-3.4 3.2-5 6.5-5s5.9 1.6 6.5 5" />
  </>,
);
export const AgentIcon = draw(
  <>
    <rect x="3.5" y="7" width="13" height="9.5" rx="2.5" />
    <path d="M10 7V3.5M7.5 11v1.5M12.5 11v1.5M1.5 10.5v3M18.5 10.5v3" />
  </>,
);
export const ProfilesIcon = draw(
  <path d="M3 5.5h7M14 5.5h3M3 10h2M9 10h8M3 14.5h8M15 14.5h2M12 3.7v3.6M7 8.2v3.6M13 12.7v3.6" />,
);
export const SettingsIcon = draw(
  <>
    <circle cx="10" cy="10" r="2.6" />
    <path d="M10 2.5v2.2M10 15.3v2.2M2.5 10h2.2M15.3 10h2.2M4.7 4.7l1.6 1.6M13.7 13.7l1.6 1.6M15.3 4.7l-1.6 1.6M6.3 13.7l-1.6 1.6" />
  </>,
);
export const TodayIcon = draw(
  <>
    <circle cx="10" cy="10" r="3.4" />
    <path d="M10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M15.3 4.7l-1.4 1.4M6.1 13.9l-1.4 1.4" />
  </>,
);
export const InboxIcon = draw(
  <>
    <path d="M3 11.5 5.2 4h9.6L17 11.5V16H3z" />
    <path d="M3 11.5h4l1 2h4l1-2h4" />
  </>,
);
export const WorkIcon = draw(
  <path d="m3 5.5 1.4 1.4L7 4.3M3 11l1.4 1.4L7 9.8M3 16.3h.01M10 5.5h7M10 11h7M10 16.3h7" />,
);
export const BuildsIcon = draw(
  <path d="m12.5 3.5 4 4-2.2 2.2-4-4zM11.4 6.9 3.8 14.5a1.4 1.4 0 0 0 2 2l7.6-7.6" />,
);
export const FiguresIcon = draw(<path d="M3 3v14h14M6.5 13V9.5M10 13V6M13.5 13V8" />);
export const SpendIcon = draw(
  <>
    <circle cx="10" cy="10" r="7.2" />
    <path d="M12.4 7.6c-.5-.8-1.4-1.2-2.4-1.2-1.4 0-2.5.7-2.5 1.8 0 2.5 5 1.2 5 3.7 0 1.1-1.1 1.8-2.5 1.8-1.1 0-2-.4-2.5-1.3M10 5v1.4M10 13.7V15" />
  </>,
);
export const SwitchIcon = draw(<path d="m6 7.5 4-4 4 4M6 12.5l4 4 4-4" />);
export const FoldIcon = draw(<path d="M3.5 4v12M16.5 10H8M11 6.5 7.5 10l3.5 3.5" />);
export const SubTasksIcon = draw(<path d="M4 3v10.5h5M4 7h5M12 4.5h5v5h-5zM12 11.5h5v5h-5z" />);
export const PlusIcon = draw(<path d="M10 4v12M4 10h12" />);
export const CloseIcon = draw(<path d="m5 5 10 10M15 5 5 15" />);
export const MenuIcon = draw(<path d="M3 5.5h14M3 10h14M3 14.5h14" />);
export const MoreIcon = draw(<path d="M4.5 10h.01M10 10h.01M15.5 10h.01" strokeWidth="2.6" />);
export const SearchIcon = draw(
  <>
    <circle cx="9" cy="9" r="5.5" />
    <path d="m13.2 13.2 3.8 3.8" />
  </>,
);
export const CopyIcon = draw(
  <>
    <rect x="7" y="7" width="10" height="10" rx="1.5" />
    <path d="M13 7V4.5A1.5 1.5 0 0 0 11.5 3h-7A1.5 1.5 0 0 0 3 4.5v7A1.5 1.5 0 0 0 4.5 13H7" />
  </>,
);
export const ClockIcon = draw(
  <>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 6v4l2.8 2" />
  </>,
);
export const CheckIcon = draw(<path d="m4 10.5 4 4 8-9" />);
export const AlertIcon = draw(
  <>
    <path d="M10 3 1.8 17h16.4z" />
    <path d="M10 8v4M10 14.5h.01" />
  </>,
);
export const LockIcon = draw(
  <>
    <rect x="4" y="9" width="12" height="8" rx="1.5" />
    <path d="M6.5 9V6.5a3.5 3.5 0 0 1 7 0V9" />
  </>,
);
export const ArrowIcon = draw(<path d="M4 10h12M11 5l5 5-5 5" />);
export const BackIcon = draw(<path d="M16 10H4M9 5l-5 5 5 5" />);
export const PulseIcon = draw(<path d="M2 10h4l2.5-6 3.5 12 2.5-6H18" />);
export const DownloadIcon = draw(<path d="M10 3v9M6 8.5l4 4 4-4M3.5 16.5h13" />);
export const PinIcon = draw(<path d="M7 3h6l-1 5 3 3H5l3-3zM10 11v6" />);
export const BranchIcon = draw(
  <>
    <circle cx="5.5" cy="4.5" r="1.8" />
    <circle cx="5.5" cy="15.5" r="1.8" />
    <circle cx="14.5" cy="6.5" r="1.8" />
    <path d="M5.5 6.3v7.4M14.5 8.3c0 3.2-9 2-9 5" />
  </>,
);
export const TrashIcon = draw(
  <path d="M3.5 5.5h13M8 5.5V3.5h4v2M5 5.5l.8 11h8.4l.8-11M8.5 9v4.5M11.5 9v4.5" />,
);
export const PaperclipIcon = draw(
  <path d="m15.5 9.5-5.8 5.8a3.6 3.6 0 0 1-5-5l6.3-6.3a2.4 2.4 0 0 1 3.4 3.4l-6.2 6.2a1.2 1.2 0 0 1-1.7-1.7l5.4-5.4" />,
);
export const SignOutIcon = draw(<path d="M12 3.5H4.5v13H12M9 10h8M14 7l3 3-3 3" />);

export const Mark = ({ size = 26 }: IconProps) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" className="mark-ground" />
    <path d="M6 14 16 6l10 8v2H6z" className="mark-roof" />
    <path d="M8 18h3v7H8zm6.5 0h3v7h-3zM21 18h3v7h-3z" className="mark-pillars" />
  </svg>
);
