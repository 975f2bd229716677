import { useMemo } from 'react';
import { lock, useUnlocked } from '../api/operator.js';
import { type Command, CommandProvider, useCommands } from '../shell/commands.js';
import { NotHere } from '../shell/not-here.js';
import { Overlays } from '../shell/overlays.js';
import { openPalette } from '../shell/palette-state.js';
import { Link, navigate } from '../shell/router.js';
import { Button, IconButton } from '../ui/button.js';
import { LockIcon, Mark, SearchIcon } from '../ui/icons.js';
import { Tabs } from '../ui/page.js';
import { Audit } from './audit.js';
import { Catalog } from './catalog.js';
import { Jobs } from './jobs.js';
import { KeyForm } from './key-form.js';
import { Overview } from './overview.js';
import { People } from './people.js';
import { Workspaces } from './workspaces.js';

const SECTIONS = [
  { key: 'overview', keys: 'g o', label: 'Overview', Section: Overview },
  { key: 'workspaces', keys: 'g w', label: 'Workspaces', Section: Workspaces },
  { key: 'people', keys: 'g p', label: 'People', Section: People },
  { key: 'catalog', keys: 'g c', label: 'Catalog', Section: Catalog },
  { key: 'jobs', keys: 'g j', label: 'Jobs', Section: Jobs },
  { key: 'audit', keys: 'g a', label: 'Audit', Section: Audit },
];

/** The operator's pages, which use the operator key instead of a session and belong to no workspace. */
export function OperatorPage({ section = 'overview' }: { section?: string }) {
  return (
    <CommandProvider>
      <Frame section={section} />
    </CommandProvider>
  );
}

function useOperatorCommands(unlocked: boolean): void {
  useCommands(
    useMemo(
      (): Command[] => [
        ...(unlocked
          ? [
              ...SECTIONS.map(({ key, label, keys }) => ({
                id: `operator-${key}`,
                label: `Go to ${label.toLowerCase()}`,
                group: 'Go to',
                keys,
                perform: () => navigate(`/dashboard/operator/${key}`),
              })),
              { id: 'operator-lock', label: 'Lock', group: 'General', sought: true, perform: () => lock() },
            ]
          : []),
        {
          id: 'operator-leave',
          label: 'Go to the dashboard',
          group: 'Go to',
          perform: () => navigate('/dashboard'),
        },
      ],
      [unlocked],
    ),
  );
}

function Frame({ section }: { section: string }) {
  const unlocked = useUnlocked();
  useOperatorCommands(unlocked);
  const shown = SECTIONS.find(({ key }) => key === section);
  return (
    <div className="operator">
      <header className="operator-bar">
        <Link to="/dashboard/operator" className="operator-brand">
          <Mark size={24} />
          <span>
            <strong>Guildhall</strong> Operator
          </span>
        </Link>
        <span className="operator-end">
          <IconButton label="Search or do anything" onClick={openPalette}>
            <SearchIcon size={17} />
          </IconButton>
          <Link to="/dashboard">Dashboard</Link>
          {unlocked && (
            <Button small icon={<LockIcon size={14} />} onClick={() => lock()}>
              Lock
            </Button>
          )}
        </span>
      </header>
      <main className="operator-main" id="main">
        {!unlocked && <KeyForm />}
        {unlocked && (
          <>
            <Tabs
              label="Operator"
              tabs={SECTIONS.map(({ key, label }) => ({
                to: `/dashboard/operator/${key}`,
                label,
                current: key === section,
              }))}
            />
            {shown ? <shown.Section /> : <NotHere />}
          </>
        )}
      </main>
      <Overlays reach="commands" />
    </div>
  );
}
