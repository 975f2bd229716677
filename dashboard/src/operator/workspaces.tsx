import { useMemo, useState } from 'react';
import { useAction } from '../api/action.js';
import { createWorkspace, listWorkspaces, type Workspace } from '../api/operator.js';
import { refresh, usePages } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { goBackTo, navigate, usePlace, withParameters } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge, Time } from '../ui/display.js';
import { Empty } from '../ui/feedback.js';
import { Checkbox, TextField } from '../ui/field.js';
import { PlusIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { Paged } from '../ui/paged.js';
import { TableFrame } from '../ui/table-frame.js';
import { type Plan, PlanField } from './plan-field.js';
import { SearchField, useWords } from './search-field.js';
import { WorkspaceDrawer } from './workspace-drawer.js';

export function Workspaces() {
  const { query } = usePlace();
  const words = useWords();
  const pages = usePages(
    `operator:workspaces:${words.settled}`,
    (cursor, signal) => listWorkspaces(words.settled, cursor, signal),
    { keep: true },
  );
  const [creating, setCreating] = useState(false);
  useCommands(
    useMemo(
      () => [
        {
          id: 'operator-new-workspace',
          label: 'New workspace',
          group: 'Operator',
          keys: 'n',
          words: 'make create add',
          perform: () => setCreating(true),
        },
      ],
      [],
    ),
  );
  const open = Number(query.get('workspace'));
  return (
    <Page
      title="Workspaces"
      lead="Every workspace of this service."
      actions={
        <Button tone="primary" icon={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
          New workspace
        </Button>
      }
    >
      <SearchField label="Find a workspace" words={words} />
      <Paged
        of={pages}
        items={(page) => page.brands}
        total={(first) => first.total}
        noun="workspaces"
        empty={
          <Empty title={words.settled ? 'No workspaces match' : 'No workspaces yet'}>
            {words.settled ? undefined : 'Create one, then add its first admin.'}
          </Empty>
        }
      >
        {(brands) => <WorkspaceTable brands={brands} />}
      </Paged>
      {creating && <CreateWorkspace onClose={() => setCreating(false)} />}
      {open > 0 && (
        <WorkspaceDrawer
          key={open}
          brandId={open}
          onClose={() => goBackTo(withParameters({ workspace: null }))}
        />
      )}
    </Page>
  );
}

const openWorkspace = (brandId: number): void => navigate(withParameters({ workspace: String(brandId) }));

function WorkspaceTable({ brands }: { brands: Workspace[] }) {
  return (
    <TableFrame label="Workspaces">
      <table className="stacking">
        <thead>
          <tr>
            <th>Name</th>
            <th>Plan</th>
            <th>Subscription</th>
            <th className="right">Id</th>
            <th>Created</th>
          </tr>
        </thead>
        <tbody>
          {brands.map((brand) => (
            <tr key={brand.brand_id}>
              <td>
                <button
                  type="button"
                  className="text-button table-name"
                  onClick={() => openWorkspace(brand.brand_id)}
                >
                  {brand.name}
                </button>
              </td>
              <td data-label="Plan">{brand.plan}</td>
              <td data-label="Subscription">
                <Badge tone={brand.subscription_active ? 'good' : 'warn'}>
                  {brand.subscription_active ? 'active' : 'not active'}
                </Badge>
              </td>
              <td data-label="Id" className="right number">
                {brand.brand_id}
              </td>
              <td data-label="Made">
                <Time at={brand.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function CreateWorkspace({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<Plan>('team');
  const [active, setActive] = useState(true);
  const action = useAction(async () => {
    const made = await createWorkspace({ name: name.trim(), plan, subscription_active: active });
    refresh('operator:workspaces');
    onClose();
    openWorkspace(made.brand_id);
  });
  return (
    <FormDialog
      title="New workspace"
      submit="Create workspace"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        field="name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <PlanField value={plan} onChange={setPlan} />
      <Checkbox label="Its subscription is active: it may hire" checked={active} onChange={setActive} />
    </FormDialog>
  );
}
