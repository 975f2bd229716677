import { lock, useUnlocked } from '../api/operator.js';
import { NotHere } from '../shell/not-here.js';
import { Link } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { LockIcon, Mark } from '../ui/icons.js';
import { Tabs } from '../ui/page.js';
import { Audit } from './audit.js';
import { Catalog } from './catalog.js';
import { Jobs } from './jobs.js';
import { KeyForm } from './key-form.js';
import { Overview } from './overview.js';
import { People } from './people.js';
import { Workspaces } from './workspaces.js';

const SECTIONS = [
  { key: 'overview', label: 'Overview', Section: Overview },
  { key: 'workspaces', label: 'Workspaces', Section: Workspaces },
  { key: 'people', label: 'People', Section: People },
  { key: 'catalog', label: 'Catalog', Section: Catalog },
  { key: 'jobs', label: 'Jobs', Section: Jobs },
  { key: 'audit', label: 'Audit', Section: Audit },
];

/** For whoever runs the service: behind its key, with no session and no workspace. */
export function OperatorPage({ section = 'overview' }: { section?: string }) {
  const unlocked = useUnlocked();
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
    </div>
  );
}
