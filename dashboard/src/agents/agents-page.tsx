import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type Employee, type Hire, hire, listEmployees, listHires } from '../api/agents.js';
import { refresh, useResource } from '../api/resource.js';
import { Link, navigate } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Avatar, Badge, plainWords, Time } from '../ui/display.js';
import { Empty, ErrorNote, Loaded } from '../ui/feedback.js';
import { AgentsIcon } from '../ui/icons.js';
import { Page, Section } from '../ui/page.js';
import { CancelDialog, canCancelNow, HireStatus } from './hire-states.js';

const POLL_MS = 5000;

export function AgentsPage() {
  const employees = useResource('employees', listEmployees);
  const hires = useResource('hires', listHires, { pollMs: POLL_MS });
  const nameOf = (profileId: string) =>
    employees.data?.employees.find((employee) => employee.profile_id === profileId)?.name;
  return (
    <Page title="Agents" lead="Employees from the catalog, hired for this workspace.">
      <Section title="Hired">
        <Loaded of={hires} rows={2}>
          {(data) =>
            data.hires.length === 0 ? (
              <p className="muted">Nobody is hired yet. Choose somebody below.</p>
            ) : (
              <HireTable hires={data.hires} nameOf={nameOf} />
            )
          }
        </Loaded>
      </Section>
      <Section title="Catalog">
        <Loaded of={employees}>
          {(data) =>
            data.employees.length === 0 ? (
              <Empty title="The catalog is empty" icon={<AgentsIcon size={28} />}>
                Your platform publishes employees here.
              </Empty>
            ) : (
              <ul className="tiles tiles-large">
                {data.employees.map((employee) => (
                  <li key={employee.profile_id}>
                    <EmployeeTile employee={employee} hires={hires.data?.hires ?? []} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </Page>
  );
}

function EmployeeTile({ employee, hires }: { employee: Employee; hires: Hire[] }) {
  const existing =
    employee.existing_hire_id ??
    hires.find((each) => each.profile_id === employee.profile_id && each.status !== 'canceled')?.hire_id;
  const action = useAction(async () => {
    const hired = await hire(employee.profile_id);
    refresh('hires');
    refresh('employees');
    navigate(hired.onboarding_url);
  });
  const deployable = employee.deployable !== false;
  return (
    <article className="tile employee" aria-label={employee.name}>
      <div className="tile-row">
        <Avatar name={employee.name} photo={employee.portrait} size={48} />
        <div className="tile-text">
          <strong className="tile-title">{employee.name}</strong>
          <span className="row-title">
            {employee.builder && <Badge tone="accent">builder, brings a desk</Badge>}
            {!deployable && <Badge tone="warn">not deployable yet</Badge>}
          </span>
        </div>
      </div>
      <p className="employee-text">{employee.description}</p>
      {(employee.packages?.length ?? 0) > 0 && (
        <div className="tags">
          {employee.packages?.map((name) => (
            <Badge key={name}>{name}</Badge>
          ))}
        </div>
      )}
      {action.fault && <ErrorNote fault={action.fault} />}
      <div className="tile-foot">
        {existing ? (
          <Link to={`/dashboard/agents/onboarding?hire=${existing}`} className="button button-plain">
            <span className="button-text">Hired: open</span>
          </Link>
        ) : (
          <Button tone="primary" busy={action.busy} disabled={!deployable} onClick={() => void action.run()}>
            {`Hire ${employee.name.split(' ')[0]}`}
          </Button>
        )}
      </div>
    </article>
  );
}

function HireTable({ hires, nameOf }: { hires: Hire[]; nameOf(profileId: string): string | undefined }) {
  const [canceling, setCanceling] = useState<Hire>();
  return (
    <>
      <div className="table-frame">
        <table>
          <thead>
            <tr>
              <th>Employee</th>
              <th>State</th>
              <th>Agent</th>
              <th>Period ends</th>
              <th>
                <span className="off-screen">Deeds</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {hires.map((each) => (
              <tr key={each.hire_id}>
                <td>
                  <Link to={`/dashboard/agents/onboarding?hire=${each.hire_id}`}>
                    {nameOf(each.profile_id) ?? 'No longer in the catalog'}
                  </Link>
                  {each.comp_reason && <div className="muted small">granted: {each.comp_reason}</div>}
                </td>
                <td>
                  <HireStatus hire={each} />
                  {each.status === 'provisioning' && each.error && (
                    <div className="bad small">{plainWords(each.error)}</div>
                  )}
                </td>
                <td className="mono">
                  {each.agent_id ? (
                    <Link to={`/dashboard/memory/${encodeURIComponent(each.agent_id)}`}>{each.agent_id}</Link>
                  ) : (
                    <span className="muted">none yet</span>
                  )}
                </td>
                <td>
                  <Time at={each.current_period_end} />
                </td>
                <td className="right">
                  {canCancelNow(each) && (
                    <Button small tone="quiet" onClick={() => setCanceling(each)}>
                      Cancel
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {canceling && (
        <CancelDialog
          hire={canceling}
          name={nameOf(canceling.profile_id) ?? 'the agent'}
          onClose={() => setCanceling(undefined)}
        />
      )}
    </>
  );
}
