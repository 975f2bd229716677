import { useMemo, useState } from 'react';
import { type Employee, listEmployees, listHires } from '../api/agents.js';
import { listWorkstations } from '../api/machines.js';
import { useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Link } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Avatar, Badge } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { AgentsIcon } from '../ui/icons.js';
import { Page, Section } from '../ui/page.js';
import { firstName, HireDialog, Included } from './hire-dialog.js';
import { HireList } from './hire-list.js';
import { priceWords } from './hire-words.js';

const POLL_MS = 5000;

export function AgentsPage() {
  const employees = useResource('employees', listEmployees);
  const hires = useResource('hires', listHires, { pollMs: POLL_MS });
  const hasDesks = hires.data?.hires.some(({ workstation_id }) => workstation_id) ?? false;
  const desks = useResource(hasDesks ? 'desks' : null, listWorkstations, { pollMs: POLL_MS });
  const [hiring, setHiring] = useState<Employee>();
  const free = useMemo(
    () => employees.data?.employees.filter((each) => each.deployable && !each.existing_hire_id) ?? [],
    [employees.data],
  );
  useCommands(
    useMemo(
      () =>
        free.map((employee) => ({
          id: `hire-${employee.profile_id}`,
          label: `Hire ${employee.name}`,
          group: 'Agents',
          perform: () => setHiring(employee),
        })),
      [free],
    ),
  );
  return (
    <Page wide title="Agents" lead="Employees from the catalog, hired for this workspace.">
      <Section title="Hired">
        <Loaded of={hires} rows={2}>
          {(data) =>
            data.hires.length === 0 ? (
              <Empty title="No hires yet" icon={<AgentsIcon size={28} />}>
                Choose an employee from the catalog below. You see the price and the included desk and tools
                before the hire starts.
              </Empty>
            ) : (
              <HireList
                hires={data.hires}
                employees={employees.data?.employees ?? []}
                desks={[...(desks.data?.workstations ?? []), ...(desks.data?.dormant ?? [])]}
              />
            )
          }
        </Loaded>
      </Section>
      <Section title="Catalog">
        <Loaded of={employees}>
          {(data) =>
            data.employees.length === 0 ? (
              <Empty title="The catalog is empty" icon={<AgentsIcon size={28} />}>
                Employees appear here once the operator of this service has published them.
              </Empty>
            ) : (
              <ul className="tiles tiles-large">
                {data.employees.map((employee) => (
                  <li key={employee.profile_id}>
                    <EmployeeTile employee={employee} onHire={() => setHiring(employee)} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      {hiring && <HireDialog employee={hiring} onClose={() => setHiring(undefined)} />}
    </Page>
  );
}

function EmployeeTile({ employee, onHire }: { employee: Employee; onHire(): void }) {
  const existing = employee.existing_hire_id;
  return (
    <article className="tile employee" aria-label={employee.name}>
      <div className="tile-row">
        <Avatar name={employee.name} photo={employee.portrait} size={48} />
        <div className="tile-text">
          <h3 className="tile-title">{employee.name}</h3>
          <span className="row-title">
            {employee.builder && <Badge tone="accent">builder</Badge>}
            {!employee.deployable && <Badge tone="warn">cannot be hired yet</Badge>}
            <span className="muted small">{priceWords(employee)}</span>
          </span>
        </div>
      </div>
      <p>{employee.description}</p>
      {employee.deployable && (
        <details className="small">
          <summary>Included with {firstName(employee)}</summary>
          <Included employee={employee} />
        </details>
      )}
      <div className="tile-foot">
        {existing ? (
          <Link to={`/dashboard/agents/onboarding?hire=${existing}`} className="button button-plain">
            <span className="button-text">Hired: open</span>
          </Link>
        ) : (
          employee.deployable && (
            <Button tone="primary" onClick={onHire}>
              {`Hire ${firstName(employee)}`}
            </Button>
          )
        )}
      </div>
    </article>
  );
}
