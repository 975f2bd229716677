import { useFeatures } from '../shell/areas.js';
import { Link } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { Empty } from '../ui/feedback.js';
import { MachinesIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';

/** Whether desks are shown; true while the features are loading. */
export const useMachinesShown = (): boolean => useFeatures()?.switches.machines.on !== false;

/** Shown for old links after the feature was disabled. */
export function MachinesOff() {
  const isAdmin = useIsAdmin();
  return (
    <Page title="Machines">
      <Empty
        title="Machines are switched off in this workspace"
        icon={<MachinesIcon size={28} />}
        action={isAdmin && <Link to="/dashboard/settings/features">Open the features</Link>}
      >
        {isAdmin
          ? 'The desks are kept. Turn the feature on to see them.'
          : 'An admin of the workspace can switch them on.'}
      </Empty>
    </Page>
  );
}
