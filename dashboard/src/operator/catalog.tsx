import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type CatalogEmployee, changeEmployee, listCatalog } from '../api/operator.js';
import { changeOptimistically, refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Badge, formatMoney, Time } from '../ui/display.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Toggle } from '../ui/field.js';
import { PlusIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { useToast } from '../ui/toast.js';
import { EmployeeDialog } from './employee-dialog.js';

const KEY = 'operator:catalog';

export function Catalog() {
  const catalog = useResource(KEY, listCatalog);
  const [editing, setEditing] = useState<CatalogEmployee | 'new'>();
  return (
    <Page
      title="Catalog"
      lead="Employees that workspaces can hire. Unpublished ones appear only here."
      actions={
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setEditing('new')}>
          New employee
        </Button>
      }
    >
      <Loaded of={catalog}>
        {({ employees }) =>
          employees.length === 0 ? (
            <Empty title="The catalog is empty">Create an employee, then publish it.</Empty>
          ) : (
            <ul className="rows" aria-label="Catalog">
              {employees.map((employee) => (
                <EmployeeRow
                  key={employee.profile_id}
                  employee={employee}
                  onEdit={() => setEditing(employee)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing && (
        <EmployeeDialog
          employee={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Page>
  );
}

interface RowProps {
  employee: CatalogEmployee;
  onEdit(): void;
}

function EmployeeRow({ employee, onEdit }: RowProps) {
  const toast = useToast();
  const publish = useAction(async (published: boolean) => {
    try {
      await changeOptimistically<{ employees: CatalogEmployee[] }, unknown>(
        KEY,
        (data) => ({
          ...data,
          employees: data.employees.map((each) =>
            each.profile_id === employee.profile_id ? { ...each, published } : each,
          ),
        }),
        () => changeEmployee({ profile_id: employee.profile_id, published }),
      );
      toast({ text: `${employee.name} is ${published ? 'published' : 'no longer published'}` });
    } catch (error) {
      toast({ text: (error as Error).message, tone: 'error' });
    } finally {
      refresh(KEY);
    }
  });
  return (
    <li className="row">
      <div className="row-main">
        <span className="row-title">
          <button type="button" className="text-button" onClick={onEdit}>
            {employee.name}
          </button>
          {employee.builder && <Badge tone="accent">builder</Badge>}
          {!employee.template && <Badge tone="warn">no template: cannot be hired</Badge>}
          {employee.price_usd !== undefined && (
            <span className="muted small">{formatMoney(employee.price_usd)} every 30 days</span>
          )}
        </span>
        <span className="muted small row-text">{employee.description}</span>
      </div>
      <span className="muted small catalog-changed">
        changed <Time at={employee.updated_at} />
      </span>
      <span className="catalog-publish small">
        {employee.published ? 'Published' : 'Hidden'}
        <Toggle
          label={`Publish ${employee.name}`}
          checked={employee.published}
          onChange={(on) => void publish.run(on)}
        />
      </span>
    </li>
  );
}
