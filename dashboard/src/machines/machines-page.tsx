import { useState } from 'react';
import { useAction } from '../api/action.js';
import { listWorkstations, readReauthStatus, requestAllUpdates, type Workstation } from '../api/machines.js';
import { useResource } from '../api/resource.js';
import { Link } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { plainWords, Time } from '../ui/display.js';
import { Empty, ErrorNote, Loaded, Note } from '../ui/feedback.js';
import { MachinesIcon, PlusIcon } from '../ui/icons.js';
import { Page, Section } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { DeskStatus } from './desk-status.js';
import { OrderDialog } from './order-dialog.js';

const LIST_POLL_MS = 15_000;

export function MachinesPage() {
  const isAdmin = useIsAdmin();
  const toast = useToast();
  const desks = useResource('desks', listWorkstations, { pollMs: LIST_POLL_MS });
  const [ordering, setOrdering] = useState(false);
  const updateAll = useAction(async () => {
    const { queued, failed, requests } = await requestAllUpdates();
    const reason = requests.find(({ error }) => error)?.error;
    toast({ text: `${queued} updates queued${failed ? `, ${failed} not: ${reason}` : ''}` });
  });
  return (
    <Page
      title="Machines"
      lead="The desks where agents build."
      actions={
        <>
          {isAdmin && (desks.data?.total ?? 0) > 0 && (
            <Button busy={updateAll.busy} onClick={() => void updateAll.run()}>
              Update all
            </Button>
          )}
          <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setOrdering(true)}>
            Order a desk
          </Button>
        </>
      }
    >
      {updateAll.fault && <ErrorNote fault={updateAll.fault} />}
      <ExpiredLogins />
      <Loaded of={desks}>
        {(data) =>
          data.total === 0 ? (
            <Empty title="No desks yet" icon={<MachinesIcon size={28} />}>
              Order one, run its installer on a Linux machine, and it comes online in about 90 seconds.
            </Empty>
          ) : (
            <>
              <DeskList desks={data.workstations} />
              {data.dormant.length > 0 && (
                <Section
                  title="Dormant"
                  lead="Silent for more than two weeks. They do not count towards the plan, and are back as soon as they report in."
                >
                  <DeskList desks={data.dormant} />
                </Section>
              )}
            </>
          )
        }
      </Loaded>
      {ordering && <OrderDialog onClose={() => setOrdering(false)} />}
    </Page>
  );
}

function ExpiredLogins() {
  const status = useResource('reauth', readReauthStatus);
  if (!status.data || status.data.expired.length === 0) return null;
  return (
    <Note tone="warn">
      Expired logins:{' '}
      {status.data.expired.map((login) => (
        <span key={`${login.workstation_id}:${login.runtime}`}>
          <Link to={`/dashboard/machines/${login.workstation_id}`}>{login.name}</Link> (
          {plainWords(login.runtime)}, <Time at={login.since} />){' '}
        </span>
      ))}
    </Note>
  );
}

function DeskList({ desks }: { desks: Workstation[] }) {
  return (
    <ul className="tiles tiles-large">
      {desks.map((desk) => (
        <li key={desk.workstation_id}>
          <Link to={`/dashboard/machines/${desk.workstation_id}`} className="tile tile-row">
            <span className={`desk-sign desk-sign-${desk.status}`}>
              <MachinesIcon size={22} />
            </span>
            <span className="tile-text">
              <strong className="tile-title">{desk.name}</strong>
              <span className="row-title">
                <DeskStatus status={desk.status} />
                <span className="muted small">{plainWords(desk.runtime)}</span>
              </span>
              {!desk.ready && <span className="muted small">{stepNote(desk)}</span>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function stepNote({ onboarding_steps: steps }: Workstation): string {
  const open = steps.find(({ done }) => !done);
  return open ? `${open.title}: ${plainWords(open.reason ?? open.state)}` : '';
}
