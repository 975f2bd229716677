import { useState } from 'react';
import type { Employee, Hire } from '../api/agents.js';
import type { Workstation } from '../api/machines.js';
import { useMachinesShown } from '../machines/switched-off.js';
import { Link } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Avatar, countOf, formatDay } from '../ui/display.js';
import { CancelDialog, HireStatus } from './hire-states.js';
import { canCancel, isLeaving } from './hire-words.js';

interface HireListProps {
  hires: Hire[];
  employees: Employee[];
  desks: Workstation[];
}

export function HireList({ hires, employees, desks }: HireListProps) {
  const [canceling, setCanceling] = useState<Hire>();
  const [past, setPast] = useState(false);
  const nameOf = (hire: Hire) =>
    employees.find(({ profile_id }) => profile_id === hire.profile_id)?.name ?? 'No longer in the catalog';
  const present = hires.filter(canCancel);
  const gone = hires.filter((hire) => !canCancel(hire));
  const shown = past || present.length === 0 ? [...present, ...gone] : present;
  return (
    <>
      <ul className="rows" aria-label="Hired">
        {shown.map((hire) => (
          <li key={hire.hire_id} className="row hire-row">
            <Avatar
              name={nameOf(hire)}
              photo={employees.find(({ profile_id }) => profile_id === hire.profile_id)?.portrait}
              size={36}
            />
            <div className="row-main">
              <span className="row-title">
                <Link to={`/dashboard/agents/onboarding?hire=${hire.hire_id}`} className="hire-name">
                  {nameOf(hire)}
                </Link>
                <HireStatus
                  hire={hire}
                  desk={desks.find(({ workstation_id }) => workstation_id === hire.workstation_id)}
                />
              </span>
              <HireLinks hire={hire} />
            </div>
            <span className="muted small hire-period">{periodOf(hire)}</span>
            {canCancel(hire) && (
              <Button small tone="quiet" onClick={() => setCanceling(hire)}>
                {isLeaving(hire) ? 'End now' : 'Cancel'}
                <span className="off-screen"> {nameOf(hire)}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {gone.length > 0 && present.length > 0 && (
        <div>
          <Button small tone="quiet" aria-expanded={past} onClick={() => setPast(!past)}>
            {past ? 'Hide ended hires' : `Show ${countOf(gone.length, 'ended hire')}`}
          </Button>
        </div>
      )}
      {canceling && (
        <CancelDialog hire={canceling} name={nameOf(canceling)} onClose={() => setCanceling(undefined)} />
      )}
    </>
  );
}

function periodOf(hire: Hire): string {
  if (isLeaving(hire)) return 'not renewed';
  return hire.status === 'canceled' ? '' : `renews ${formatDay(hire.current_period_end)}`;
}

function HireLinks({ hire }: { hire: Hire }) {
  const machinesShown = useMachinesShown();
  return (
    <span className="hire-links small">
      {hire.agent_id ? (
        <>
          <span className="mono muted">{hire.agent_id}</span>
          <Link to={`/dashboard/memory/${encodeURIComponent(hire.agent_id)}`}>Memory</Link>
        </>
      ) : (
        <span className="muted">no agent yet</span>
      )}
      {hire.workstation_id && machinesShown && (
        <Link to={`/dashboard/machines/${hire.workstation_id}`}>Desk</Link>
      )}
      {hire.comp_reason && <span className="muted">granted: {hire.comp_reason}</span>}
    </span>
  );
}
