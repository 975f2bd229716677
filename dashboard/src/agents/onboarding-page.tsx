import { useState } from 'react';
import { type Hire, listEmployees, readHire } from '../api/agents.js';
import { useResource } from '../api/resource.js';
import { Checklist } from '../machines/checklist.js';
import { Link } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Facts, Time } from '../ui/display.js';
import { Empty, Loaded, Note } from '../ui/feedback.js';
import { Page, Section } from '../ui/page.js';
import { CancelDialog, canCancelNow, HireStatus } from './hire-states.js';

const PROVISIONING_POLL_MS = 2000;
const SETTLED_POLL_MS = 30_000;

/** Where a hire stands on its way to work. */
export function OnboardingPage({ hireId }: { hireId: string }) {
  const [settled, setSettled] = useState(false);
  const hire = useResource(
    hireId ? `hire:${hireId}` : null,
    async (signal) => {
      const read = await readHire(hireId, signal);
      setSettled(read.status !== 'provisioning');
      return read;
    },
    { pollMs: settled ? SETTLED_POLL_MS : PROVISIONING_POLL_MS },
  );
  const employees = useResource('employees', listEmployees);
  const [canceling, setCanceling] = useState(false);
  const name =
    employees.data?.employees.find(({ profile_id }) => profile_id === hire.data?.profile_id)?.name ??
    'The agent';
  if (!hireId) {
    return (
      <Page title="Onboarding" back={{ to: '/dashboard/agents', label: 'Agents' }}>
        <Empty title="No hire is named in this address">Open it from the list of agents.</Empty>
      </Page>
    );
  }
  return (
    <Page
      title={name}
      back={{ to: '/dashboard/agents', label: 'Agents' }}
      actions={
        hire.data &&
        canCancelNow(hire.data) && <Button onClick={() => setCanceling(true)}>Cancel hire</Button>
      }
    >
      <Loaded of={hire} rows={5}>
        {(data) => (
          <div className="split">
            <Section title="Onboarding">
              <StateNote hire={data} name={name} />
              {data.steps && data.steps.length > 0 && <Checklist steps={data.steps} label="Steps" />}
            </Section>
            <HireRecord hire={data} />
          </div>
        )}
      </Loaded>
      {canceling && hire.data && (
        <CancelDialog hire={hire.data} name={name} onClose={() => setCanceling(false)} />
      )}
    </Page>
  );
}

function StateNote({ hire, name }: { hire: Hire; name: string }) {
  if (hire.status === 'provisioning') {
    return hire.error ? (
      <Note tone="warn">The last attempt failed and will be repeated: {hire.error}</Note>
    ) : (
      <Note>{name} is being set up. This page follows along.</Note>
    );
  }
  if (hire.status === 'active') return <Note tone="good">{name} is at work.</Note>;
  return <Note>This hire is canceled.</Note>;
}

function HireRecord({ hire }: { hire: Hire }) {
  const items: [string, React.ReactNode][] = [
    ['State', <HireStatus key="state" hire={hire} />],
    [
      'Agent',
      hire.agent_id && (
        <Link to={`/dashboard/memory/${encodeURIComponent(hire.agent_id)}`} className="mono">
          {hire.agent_id}
        </Link>
      ),
    ],
    [
      'Desk',
      hire.workstation_id && <Link to={`/dashboard/machines/${hire.workstation_id}`}>Open the desk</Link>,
    ],
    ['Hired', <Time key="hired" at={hire.created_at} />],
    ['Period ends', <Time key="end" at={hire.current_period_end} exact />],
    ['Canceled for', hire.effective_at && <Time at={hire.effective_at} exact />],
    ['Granted', hire.comp_reason],
  ];
  return (
    <Section title="Record">
      <Facts items={items.filter(([, value]) => Boolean(value))} />
    </Section>
  );
}
