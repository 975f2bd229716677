import { useState } from 'react';
import { useAction } from '../api/action.js';
import {
  changeWorkspace,
  eraseWorkspace,
  exportWorkspace,
  readWorkspace,
  type Workspace,
} from '../api/operator.js';
import { refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Time } from '../ui/display.js';
import { ErrorNote, Loaded } from '../ui/feedback.js';
import { Checkbox, TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';
import { EraseDialog } from './erase-dialog.js';
import { type Plan, PlanField } from './plan-field.js';
import { WorkspaceMembers } from './workspace-members.js';
import { WorkspaceTokens } from './workspace-tokens.js';

export function WorkspaceDrawer({ brandId, onClose }: { brandId: number; onClose(): void }) {
  const workspace = useResource(`operator:workspace:${brandId}`, (signal) => readWorkspace(brandId, signal));
  return (
    <Dialog title={workspace.data?.name ?? 'Workspace'} shape="drawer" guard="none" onClose={onClose}>
      <Loaded of={workspace} rows={4}>
        {(data) => (
          <div className="stack operator-drawer">
            <WorkspaceForm key={`${data.name}:${data.plan}`} workspace={data} />
            <WorkspaceMembers brandId={brandId} />
            <WorkspaceTokens brandId={brandId} ceiling={data.scope_ceiling} />
            <LastThings workspace={data} onErased={onClose} />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

function WorkspaceForm({ workspace }: { workspace: Workspace }) {
  const toast = useToast();
  const [name, setName] = useState(workspace.name);
  const [plan, setPlan] = useState<Plan>(workspace.plan);
  const [active, setActive] = useState(workspace.subscription_active);
  const [navigation, setNavigation] = useState(workspace.new_navigation);
  const action = useAction(async () => {
    await changeWorkspace({
      brand_id: workspace.brand_id,
      name: name.trim(),
      plan,
      subscription_active: active,
      new_navigation: navigation,
    });
    refresh('operator:workspace');
    toast({ text: `${name.trim()} saved` });
  });
  const same =
    name.trim() === workspace.name &&
    plan === workspace.plan &&
    active === workspace.subscription_active &&
    navigation === workspace.new_navigation;
  return (
    <Form
      fault={action.fault}
      busy={action.busy}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void action.run();
      }}
    >
      <p className="muted small">
        Workspace {workspace.brand_id}, made <Time at={workspace.created_at} />
      </p>
      <div className="pair">
        <TextField
          label="Name"
          field="name"
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <PlanField value={plan} onChange={setPlan} />
      </div>
      <Checkbox label="Its subscription is active: it may hire" checked={active} onChange={setActive} />
      <Checkbox label="It uses the current navigation" checked={navigation} onChange={setNavigation} />
      <FormFault />
      <div>
        <Button type="submit" tone="primary" busy={action.busy} disabled={same}>
          Save
        </Button>
      </div>
    </Form>
  );
}

function LastThings({ workspace, onErased }: { workspace: Workspace; onErased(): void }) {
  const [erasing, setErasing] = useState(false);
  const download = useAction(async () => {
    const address = URL.createObjectURL(await exportWorkspace(workspace.brand_id));
    const link = document.createElement('a');
    link.href = address;
    link.download = `workspace-${workspace.brand_id}.ndjson`;
    link.click();
    URL.revokeObjectURL(address);
  });
  return (
    <Section title="Data" lead="An export has every row, without passwords, tokens and sealed secrets.">
      {download.fault && <ErrorNote fault={download.fault} />}
      <div className="row-actions">
        <Button busy={download.busy} onClick={() => void download.run()}>
          Download an export
        </Button>
        <Button tone="danger" onClick={() => setErasing(true)}>
          Erase workspace
        </Button>
      </div>
      {erasing && (
        <EraseWorkspace workspace={workspace} onClose={() => setErasing(false)} onErased={onErased} />
      )}
    </Section>
  );
}

interface EraseProps {
  workspace: Workspace;
  onClose(): void;
  onErased(): void;
}

function EraseWorkspace({ workspace, onClose, onErased }: EraseProps) {
  const toast = useToast();
  const erase = async () => {
    // The dialog has already verified the typed name.
    await eraseWorkspace(workspace.brand_id, workspace.name);
    refresh('operator:workspaces');
    toast({ text: `${workspace.name} is closed and being erased` });
    onClose();
    onErased();
  };
  return (
    <EraseDialog name={workspace.name} word={workspace.name} erase={erase} onClose={onClose}>
      The workspace closes now. Guildhall releases its desks, then deletes its data and files. You cannot undo
      this. Download an export first.
    </EraseDialog>
  );
}
